package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
)

func (c *cli) profilesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "profiles", Short: "List the profiles: how often each fault strikes", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			p := &page{colour: coloured(c.out)}
			var single []string
			for _, profile := range chaos.Profiles() {
				if _, one := chaos.KindNamed(profile.Name); one {
					single = append(single, profile.Name)
					continue
				}
				entry(p, profile.Name, profile.Doc)
			}
			p.line("")
			p.line("And one for each kind of fault, in which nothing else goes wrong:")
			p.wrapped(2, strings.Join(single, ", "))
			return write(c.out, p.Bytes())
		},
	}
}

// nameColumn is the width of a list's names.
const nameColumn = 18

// entry adds a name and what it means.
func entry(p *page, name, doc string) {
	for i, l := range wrap(doc, width-nameColumn) {
		if i > 0 {
			name = ""
		}
		p.line("%s%s", p.bold(pad(name, nameColumn)), l)
	}
}
