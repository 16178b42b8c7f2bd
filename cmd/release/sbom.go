package main

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
)

// part is a component of a CycloneDX document.
type part struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

func golang(kind, name, version string) part {
	purl := "pkg:golang/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	return part{kind, purl, name, version, purl}
}

type parts struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"`
	Metadata struct {
		Component part `json:"component"`
	} `json:"metadata"`
	Components   []part    `json:"components"`
	Dependencies []depends `json:"dependencies"`
}

type depends struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// billOfMaterials returns a CycloneDX 1.6 document about the programs in dir: Go's standard library and every module that
// one of them contains, as the programs themselves say. It has no time and no serial number, so that it is reproducible.
func billOfMaterials(dir string, programs []string) ([]byte, error) {
	var doc parts
	found := map[string]part{}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		std := golang("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))
		found[std.Ref] = std
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			p := golang("library", m.Path, m.Version)
			found[p.Ref] = p
		}
		doc.Metadata.Component = golang("application", info.Main.Path, "v"+verify.Version)
	}
	doc.Format, doc.Spec, doc.Version = "CycloneDX", "1.6", 1
	refs := slices.Sorted(maps.Keys(found))
	for _, ref := range refs {
		doc.Components = append(doc.Components, found[ref])
	}
	doc.Dependencies = []depends{{doc.Metadata.Component.Ref, refs}}
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}
