package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
)

// toolchain is the Go that builds a release: another one makes other bytes.
const toolchain = "go1.26.8"

// flags is the value of GOFLAGS for every program that is released; the Dockerfile and .ci/run read the same file. For the
// size, HTTP/2 is left out, and only what reads large inputs is inlined: of the standard library all but TLS, encodings and the
// network, three dependencies, and verify but for its packages with much text and little data. A later line wins.
// Functions begin at multiples of 8 bytes, not of 32, also for the size.
//
//go:embed flags.txt
var flags string

// target is a system that a release has a program for.
type target struct{ os, arch string }

var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

// file is the name of the program in the release.
func (t target) file() string {
	name := fmt.Sprintf("closeout_%s_%s_%s", verify.Version, t.os, t.arch)
	if t.os == "windows" {
		name += ".exe"
	}
	return name
}

// named are the targets with these names, such as linux/amd64; all for no name.
func named(names []string) ([]target, error) {
	if len(names) == 0 {
		return targets, nil
	}
	var list []target
	for _, name := range names {
		system, arch, _ := strings.Cut(name, "/")
		if !slices.Contains(targets, target{system, arch}) {
			return nil, fmt.Errorf("unknown target %q: expected one of %v", name, targets)
		}
		list = append(list, target{system, arch})
	}
	return list, nil
}

// builder builds programs of the repository root with one version of Go, such as go1.26.8, or local.
type builder struct{ root, toolchain string }

// program builds the program for t. Its bytes depend on the commit and the version of Go only: what else go build reads
// from the environment is set here.
func (b builder) program(t target, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", path, "./cmd/closeout")
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off",
		"GOEXPERIMENT=", "GOFLAGS="+flags, "GOWORK=off", "GOTOOLCHAIN="+b.toolchain)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w\n%s", t, err, out)
	}
	return nil
}

// release writes the files of a release into the directory, which must be new or empty, and names each on out.
func release(b builder, list []target, dir string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("%s is not empty, it contains %q: name a new directory", dir, there[0].Name())
	}
	var files []string
	for _, t := range list {
		if err := b.program(t, filepath.Join(dir, t.file())); err != nil {
			return err
		}
		files = append(files, t.file())
		fmt.Fprintln(out, t.file())
	}
	parts, err := billOfMaterials(dir, files)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("closeout_%s.cdx.json", verify.Version)
	if err := os.WriteFile(filepath.Join(dir, name), parts, 0o644); err != nil {
		return err
	}
	fmt.Fprintln(out, name)
	return writeChecksums(dir, append(files, name))
}

// writeChecksums writes checksums.txt as sha256sum reads it.
func writeChecksums(dir string, files []string) error {
	var text strings.Builder
	for _, name := range slices.Sorted(slices.Values(files)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(&text, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(text.String()), 0o644)
}
