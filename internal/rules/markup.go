package rules

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// maxXML is the longest XML document that is read.
const maxXML = 1 << 20

// eachElement visits the elements of an XML document, with their path such as /project/dependencies/dependency. text is what a
// leaf contains. It stops where the text is no XML.
func eachElement(v *source.File, start func(path string, attr func(string) string, line int), end func(path, text string)) {
	if v == nil || len(v.Text) > maxXML {
		return
	}
	d := xml.NewDecoder(bytes.NewReader(v.Text))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	var path []byte
	var lengths []int
	var text strings.Builder
	for {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(lengths) > maxDepth {
				return
			}
			lengths = append(lengths, len(path))
			path = append(append(path, '/'), t.Name.Local...)
			text.Reset()
			line, _ := d.InputPos()
			start(string(path), func(name string) string {
				for _, a := range t.Attr {
					if strings.EqualFold(a.Name.Local, name) {
						return a.Value
					}
				}
				return ""
			}, line)
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if len(lengths) == 0 {
				return
			}
			end(string(path), strings.TrimSpace(text.String()))
			path = path[:lengths[len(lengths)-1]]
			lengths = lengths[:len(lengths)-1]
			text.Reset()
		}
	}
}

// readPom reads the manifest of Maven.
func readPom(v *source.File) manifest {
	var m manifest
	var group, artifact, scope, ownGroup, ownArtifact string
	eachElement(v, func(path string, _ func(string) string, _ int) {
		if strings.HasSuffix(path, "/dependency") || strings.HasSuffix(path, "/plugin") || strings.HasSuffix(path, "/extension") || strings.HasSuffix(path, "/path") {
			group, artifact, scope = "", "", ""
		}
	}, func(path, text string) {
		parent, leaf, _ := cutAtLast(path, "/")
		switch {
		case path == "/project/groupId":
			ownGroup = text
		case path == "/project/parent/groupId" && ownGroup == "":
			ownGroup = text
		case path == "/project/artifactId":
			ownArtifact = text
		case strings.HasSuffix(parent, "/exclusion"):
		case leaf == "groupId":
			group = text
		case leaf == "artifactId":
			artifact = text
		case leaf == "scope":
			scope = text
		case leaf == "dependency" && artifact != "" && !strings.HasSuffix(parent, "/exclusions"):
			m.deps = append(m.deps, dependency{
				name: group + ":" + artifact, dev: scope == "test" || strings.Contains(path, "/plugin/"),
				local: group == "${project.groupId}" || group == "${project.parent.groupId}" || ownGroup != "" && group == ownGroup,
			})
			artifact = ""
		case (leaf == "plugin" || leaf == "path") && artifact != "":
			m.add(strings.TrimPrefix(group+":"+artifact, ":"), true, "")
			artifact = ""
		}
	})
	m.own = ownGroup + ":" + ownArtifact
	return m
}

// readProject reads the manifests of .NET.
func readProject(v *source.File) manifest {
	var m manifest
	test := strings.Contains(strings.ToLower(v.Path), "test")
	eachElement(v, func(path string, attr func(string) string, _ int) {
		_, leaf, _ := cutAtLast(path, "/")
		if leaf != "PackageReference" && leaf != "PackageVersion" && leaf != "GlobalPackageReference" {
			return
		}
		name := attr("Include")
		if name == "" || strings.Contains(name, "$(") || strings.Contains(name, "@(") {
			return
		}
		if leaf == "PackageReference" && attr("Version") == "" && attr("VersionOverride") == "" && !bytes.Contains(v.Text, []byte("<Version>")) {
			return // the central file names it
		}
		dev := test || leaf == "GlobalPackageReference" || strings.EqualFold(attr("PrivateAssets"), "all")
		m.add(strings.ToLower(name), dev, "")
	}, func(string, string) {})
	return m
}
