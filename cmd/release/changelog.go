package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/verify"
)

var (
	heading = regexp.MustCompile(`(?m)^## \[([^\]\n]+)\](.*)$`)
	day     = regexp.MustCompile(`^ - \d{4}-\d{2}-\d{2}$`)
)

// notes returns what CHANGELOG.md says about the version that tag names. It is an error if tag is not the program's
// version, or if the first released version of CHANGELOG.md is another one or has no date.
func notes(root, tag string) (string, error) {
	if tag != "v"+verify.Version {
		return "", fmt.Errorf("the tag is %q, and verify.Version is %q: expected the tag %q", tag, verify.Version, "v"+verify.Version)
	}
	data, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	text := string(data)
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, at := range places {
		version := text[at[2]:at[3]]
		if version == "Unreleased" {
			continue
		}
		if version != verify.Version || !day.MatchString(text[at[4]:at[5]]) {
			return "", fmt.Errorf("CHANGELOG.md: the first version is %q, expected \"## [%s] - YYYY-MM-DD\"", text[at[0]:at[1]], verify.Version)
		}
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		return strings.TrimSpace(text[at[1]:end]) + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md names no version: expected \"## [%s] - YYYY-MM-DD\"", verify.Version)
}
