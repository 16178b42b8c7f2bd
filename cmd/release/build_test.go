//go:build soak

package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/closeout-gate/closeout/verify"
)

const partsFile = "closeout_" + verify.Version + ".cdx.json"

var here = target{runtime.GOOS, runtime.GOARCH}

// TestSoakBuild builds a release for this system, and its program again in another directory, with other settings in the
// environment.
func TestSoakBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	for _, name := range []string{"go.mod", "go.sum", "cmd/closeout", "internal", "schema", "verify"} {
		copyAll(t, filepath.Join(repository, name), filepath.Join(copied, name))
	}
	first := filepath.Join(dir, here.file())
	var files bytes.Buffer
	if err := release(builder{repository, "local"}, []target{here}, dir, &files); err != nil {
		t.Fatal(err)
	}
	if want := here.file() + "\n" + partsFile + "\n"; files.String() != want {
		t.Errorf("built %q, expected %q", files.String(), want)
	}
	if err := release(builder{repository, "local"}, []target{here}, dir, &files); err == nil || !strings.Contains(err.Error(), "name a new directory") {
		t.Errorf("a second release in one directory: %v", err)
	}
	t.Setenv("GOFLAGS", "-buildvcs=true")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOARM64", "v9.0")
	t.Setenv("GOAMD64", "v3")
	second := filepath.Join(t.TempDir(), "closeout")
	if err := (builder{copied, "local"}).program(here, second); err != nil {
		t.Fatal(err)
	}
	if read(t, first) != read(t, second) {
		t.Error("two builds of the same files differ")
	}
	for _, path := range []string{copied, mustAbs(t, repository)} {
		if strings.Contains(read(t, first), path) {
			t.Errorf("the program contains the path %q", path)
		}
	}
	t.Run("parts", func(t *testing.T) { testParts(t, dir) })
	t.Run("https", func(t *testing.T) { testHTTPS(t, first) })
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func copyAll(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else if err == nil {
		write(t, read(t, from), to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// testParts wants every module of the program in the list, and the list and the program in checksums.txt.
func testParts(t *testing.T, dir string) {
	var doc parts
	if err := json.Unmarshal([]byte(read(t, dir, partsFile)), &doc); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(filepath.Join(dir, here.file()))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range info.Deps {
		want = append(want, "pkg:golang/"+m.Path+"@"+m.Version)
	}
	want = append(want, "pkg:golang/stdlib@"+strings.TrimPrefix(runtime.Version(), "go"))
	slices.Sort(want)
	if got := doc.Dependencies[0].DependsOn; !slices.Equal(got, want) || len(doc.Components) != len(want) || len(want) < 8 {
		t.Errorf("got %q, expected %q", got, want)
	}
	if c := doc.Metadata.Component; c.Name != "github.com/closeout-gate/closeout" || c.Version != "v"+verify.Version {
		t.Errorf("the list is about %v", c)
	}
	sums := ""
	for _, name := range []string{partsFile, here.file()} {
		sum := sha256.Sum256([]byte(read(t, dir, name)))
		sums += hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	if got := read(t, dir, "checksums.txt"); got != sums {
		t.Errorf("checksums.txt: %s, expected %s", got, sums)
	}
}

// testHTTPS lets the program ask a server that offers HTTP/2, which the program does not know.
func testHTTPS(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("the test needs SSL_CERT_FILE")
	}
	var mu sync.Mutex
	var asked []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Proto)
		http.Error(w, `{"message": "Not here"}`, http.StatusNotFound)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	if got, err := server.Client().Get(server.URL); err != nil || got.Proto != "HTTP/2.0" {
		t.Fatalf("the server does not offer HTTP/2: %v, %v", got, err)
	}
	asked = nil
	work := t.TempDir()
	write(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), work, "ca.pem")
	write(t, `{"action": "opened", "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"}, "pull_request": {"number": 1,
  "head": {"ref": "topic", "sha": "1111111111111111111111111111111111111111"},
  "base": {"ref": "main", "sha": "2222222222222222222222222222222222222222"}}}`, work, "event.json")
	for _, name := range []string{"HEAD", "objects/none", "refs/none"} { // the repository that the gate reads, without a commit
		write(t, "", work, "closeout.git", name)
	}
	cmd := exec.Command(program, "action")
	cmd.Env = []string{
		"SSL_CERT_FILE=" + filepath.Join(work, "ca.pem"), "GITHUB_WORKSPACE=" + work, "GITHUB_EVENT_NAME=pull_request", "GITHUB_REPOSITORY=o/r",
		"GITHUB_EVENT_PATH=" + filepath.Join(work, "event.json"), "INPUT_TOKEN=token", "INPUT_API_URL=" + server.URL,
	}
	out, _ := cmd.CombinedOutput()
	report := read(t, work, "verification_report.json")
	if !bytes.Contains([]byte(report), []byte("Not here")) {
		t.Errorf("the report does not contain the server's answer:\n%s\n%s", report, out)
	}
	if len(asked) == 0 || slices.ContainsFunc(asked, func(proto string) bool { return proto != "HTTP/1.1" }) {
		t.Errorf("asked by %q", asked)
	}
}
