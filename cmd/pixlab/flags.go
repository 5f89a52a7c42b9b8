package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pixlab/pixlab/chaos"
)

// seedFlag is a seed that knows whether it was given.
type seedFlag struct {
	seed  chaos.Seed
	given bool
}

// Set reads the flag's text.
func (f *seedFlag) Set(text string) error {
	seed, err := chaos.ParseSeed(text)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", uint64(chaos.MaxSeed))
	}
	f.seed, f.given = seed, true
	return nil
}

// String is the seed, empty until one was given.
func (f *seedFlag) String() string {
	if !f.given {
		return ""
	}
	return f.seed.String()
}

// Type names the value in a usage text.
func (f *seedFlag) Type() string { return "N" }

// countFlag is a whole number from 1 to most; 0 means that none was given.
type countFlag struct{ n, most int }

// Set reads the flag's text.
func (f *countFlag) Set(text string) error {
	most := f.most
	if most == 0 {
		most = math.MaxInt32
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("want a whole number from 1 to %s", grouped(most))
	}
	f.n = n
	return nil
}

// String is the number, empty until one was given.
func (f *countFlag) String() string {
	if f.n == 0 {
		return ""
	}
	return strconv.Itoa(f.n)
}

// Type names the value in a usage text.
func (f *countFlag) Type() string { return "N" }

// explainFlag turns what pflag has against an argument into a line that also
// says what would be right.
func explainFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var needs *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		name := "--" + missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + missing.GetSpecifiedShortnames()
		}
		return usagef("unknown flag %s; %s takes %s", name, cmd.CommandPath(), flagNames(cmd))
	case errors.As(err, &needs):
		f := needs.GetFlag()
		kind, _ := pflag.UnquoteUsage(f)
		return usagef("--%s stands alone; want --%s %s", f.Name, f.Name, kind)
	case errors.As(err, &invalid):
		return usagef("--%s is %q; %s", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid))
	}
	return usagef("%v; %s takes %s", err, cmd.CommandPath(), flagNames(cmd))
}

func wanted(invalid *pflag.InvalidValueError) string {
	if invalid.GetFlag().Value.Type() == "bool" {
		return fmt.Sprintf("want --%s alone", invalid.GetFlag().Name)
	}
	if invalid.GetFlag().Value.Type() == "duration" {
		return "want a length of time such as 60s"
	}
	return invalid.Unwrap().Error()
}

// flagNames lists a command's flags, for people who mistyped one.
func flagNames(cmd *cobra.Command) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return strings.Join(names, ", ")
}

func commandNames(root *cobra.Command) string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return strings.Join(names, ", ")
}

// noSuchCommand refuses what is no command's name.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("unknown command %q; want one of %s", args[0], commandNames(cmd.Root()))
}

// noArgs is for commands that take flags alone.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("%q is one argument too many; %s takes flags alone: %s", args[0], cmd.CommandPath(), flagNames(cmd))
}

// choose picks the named ones of a list, all of them if no name is given.
func choose[T any](what string, all []T, nameOf func(T) string, names []string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	for i, x := range all {
		known[i] = nameOf(x)
	}
	var out []T
	for _, name := range names {
		found := false
		for _, x := range all {
			if nameOf(x) == name {
				out, found = append(out, x), true
			}
		}
		if !found {
			return nil, usagef("unknown %s %q; known are %s", what, name, strings.Join(known, ", "))
		}
	}
	return out, nil
}
