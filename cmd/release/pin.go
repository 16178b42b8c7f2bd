package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	imageLine = regexp.MustCompile(`(?m)^  image: .*$`)
	byDigest  = regexp.MustCompile(`^[a-z0-9.-]+(?:/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}$`)
	sumLine   = regexp.MustCompile(`^([0-9a-f]{64})  (\S+)$`)
)

// pin makes the actions in root those of a release: action.yml names the image, and the setup action gets the checksums of
// the programs that it downloads. Nothing is written when one of the two cannot be.
func pin(root, checksums, image string) error {
	if !byDigest.MatchString(image) {
		return fmt.Errorf("the image is %q: expected NAME@sha256:DIGEST", image)
	}
	path := filepath.Join(root, "action.yml")
	action, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if lines := imageLine.FindAllString(string(action), -1); len(lines) != 1 || lines[0] != "  image: Dockerfile" {
		return fmt.Errorf("action.yml: got the image lines %q, expected one \"  image: Dockerfile\": pin a commit of the main branch", lines)
	}
	data, err := os.ReadFile(checksums)
	if err != nil {
		return err
	}
	sums, err := ofPrograms(checksums, string(data))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, ".github/actions/setup/checksums.txt"), []byte(sums), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, imageLine.ReplaceAll(action, []byte("  image: docker://"+image)), 0o644)
}

// ofPrograms returns the lines of checksums.txt that are about programs. Each program must have exactly one.
func ofPrograms(path, text string) (string, error) {
	lines := map[string][]string{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := sumLine.FindStringSubmatch(line)
		if m == nil {
			return "", fmt.Errorf("%s:%d: got %q, expected a sha256, two spaces and a name", path, i+1, line)
		}
		lines[m[2]] = append(lines[m[2]], line)
	}
	var list strings.Builder
	for _, t := range targets {
		if n := len(lines[t.file()]); n != 1 {
			return "", fmt.Errorf("%s: %d lines about %s, expected one", path, n, t.file())
		}
		list.WriteString(lines[t.file()][0] + "\n")
	}
	return list.String(), nil
}
