package main

import (
	_ "embed" // of notices
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what this source is released as; builds from a module proxy know their own.
const version = "0.1.0-dev"

// notices are the licences of all that stands in the program.
//
//go:generate go run ./internal/notices -o notices.txt .
//go:generate go run ./internal/notices -o ../libopenvx/NOTICES ../libopenvx
//go:embed notices.txt
var notices string

func newVersion() *cobra.Command {
	var asJSON, licences bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the Go version and the platform",
		Example: "  concord version --json\n  concord version --licenses",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if licences && asJSON {
				return refused("--licenses prints a text; --json goes without it")
			}
			if licences {
				_, err := io.WriteString(document(c.OutOrStdout()), notices)
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), struct {
					Version  string `json:"version"`
					Go       string `json:"go"`
					Platform string `json:"platform"`
				}{buildVersion(), runtime.Version(), platform})
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		},
	}
	c.Flags().BoolVar(&licences, "licenses", false, "print the licences of all that stands in the program")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

// buildVersion returns the version of the module that the program was built from.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return version
}

func versionLine() string {
	return fmt.Sprintf("concord %s (%s, %s)", buildVersion(), runtime.Version(), platform)
}
