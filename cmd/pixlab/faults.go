package main

import (
	"github.com/spf13/cobra"

	"github.com/pixlab/pixlab/chaos"
)

func (c *cli) faultsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "faults", Short: "List the kinds of fault", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			p := &page{colour: coloured(c.out)}
			family := ""
			for _, k := range chaos.Kinds() {
				if k.Family != family {
					if family != "" {
						p.line("")
					}
					family = k.Family
					p.line("%s", p.dim(familyTitle(family)))
				}
				entry(p, k.Name, k.Doc)
			}
			return write(c.out, p.Bytes())
		},
	}
}

// familyTitle says who misbehaves.
func familyTitle(family string) string {
	switch family {
	case chaos.FamilyCallback:
		return "the PSP's callbacks, or somebody posing as the PSP"
	case chaos.FamilyAPI:
		return "the PSP's API"
	case chaos.FamilyReceiver:
		return "the receiver's own processes, store and clocks"
	case chaos.FamilyPayer:
		return "the one who pays"
	case chaos.FamilyEndpoint:
		return "the merchant's own webhook"
	case chaos.FamilyConsumer:
		return "the merchant as a caller of the receiver's API"
	}
	return family
}
