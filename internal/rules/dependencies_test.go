package rules

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

// TestLibrariesOfTests shows which packages of a central list are for development.
func TestLibrariesOfTests(t *testing.T) {
	for name, text := range map[string]string{
		"gradle/libs.versions.toml": "[libraries]\na = { module = \"io.mockk:mockk\" }\nb = \"org.example:server:1\"\n",
		"Directory.Packages.props": "<Project><ItemGroup>\n<PackageVersion Include=\"xunit.v3\" Version=\"1\" />\n" +
			"<PackageVersion Include=\"Example.Server\" Version=\"1\" />\n</ItemGroup></Project>\n",
	} {
		dev := map[bool]int{}
		for _, d := range manifestOf(name).packages(source.Parse(name, []byte(text))) {
			if !d.own {
				dev[d.dev]++
			}
		}
		if dev[true] != 1 || dev[false] != 1 {
			t.Errorf("%s: %v", name, dev)
		}
	}
}
