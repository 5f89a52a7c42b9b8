package main

import "github.com/spf13/cobra"

// usageTemplate is the layout of a help text below its first words.
const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}

pixlab help COMMAND tells of a command.
{{end}}
Flags:
{{.Flags.FlagUsagesWrapped 100 | trimTrailingWhitespaces}}
`

// helpCommand is "pixlab help [COMMAND]", strict about the name.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Tell of a command", Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			if len(args) > 0 {
				found, _, err := cmd.Root().Find(args[:1])
				if err != nil || found == cmd.Root() {
					return noSuchCommand(cmd.Root(), args)
				}
				about = found
			}
			return about.Help()
		},
	}
}
