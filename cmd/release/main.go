// Command release prepares a release of closeout. See docs/maintainers/releasing.md.
package main

import (
	"fmt"
	"io"
	"os"
)

const usage = `usage, in the root directory of the repository:
  release check TAG              check that TAG, the program and CHANGELOG.md name one version
  release notes TAG              print what CHANGELOG.md says about the version
  release build DIR [OS/ARCH...] build all programs, or these, their list of parts and checksums.txt into DIR
  release pin CHECKSUMS IMAGE    make action.yml use IMAGE (name@sha256:digest), and the setup action the programs
`

func main() {
	if err := run(".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// run carries out one subcommand in the repository root.
func run(root string, args []string, out io.Writer) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch {
	case name == "check" && len(args) == 2:
		_, err := notes(root, args[1])
		return err
	case name == "notes" && len(args) == 2:
		text, err := notes(root, args[1])
		if err == nil {
			_, err = io.WriteString(out, text)
		}
		return err
	case name == "build" && len(args) >= 2:
		list, err := named(args[2:])
		if err != nil {
			return err
		}
		return release(builder{root, toolchain}, list, args[1], out)
	case name == "pin" && len(args) == 3:
		return pin(root, args[1], args[2])
	}
	return fmt.Errorf("unknown arguments %q\n%s", args, usage)
}
