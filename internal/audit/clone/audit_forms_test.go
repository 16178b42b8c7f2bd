package clone

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/report"
)

// small makes a few merges, of which some are lies.
func small(w *world) {
	for range 3 {
		w.deal("squash", squash, nil)
		w.deal("merge", merge, nil)
		w.deal("rebase", rebase, nil)
	}
	w.deal("direct push", direct, nil, "block audit.direct_push")
	w.deal("another content", squash, map[string]string{"src/added": "evil\n"}, unboundCode)
	w.deal("the last one", squash, nil)
}

// clone makes a clone with the branch and the archive.
func (w *world) clone(args ...string) string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "clone")
	runGit(w.t, w.dir, nil, append(append([]string{"clone", "-q", "--no-local", "-b", "main", "--bare"}, args...), "file://"+w.dir, dir)...)
	return dir
}

// TestAuditForms wants the same bytes of every form of a whole clone.
func TestAuditForms(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Setenv("GIT_DEFAULT_HASH", format)
			w := newWorld(t)
			small(w)
			w.build()
			var want []byte
			for name, make := range map[string]func() string{
				"bare":   func() string { return w.clone() },
				"packed": func() string { dir := w.clone(); runGit(t, dir, nil, "repack", "-adq"); return dir },
				"loose": func() string {
					dir := filepath.Join(t.TempDir(), "loose")
					runGit(t, w.dir, nil, "init", "-q", "--bare", dir)
					for _, ref := range []string{"main", "closeout-archive"} {
						pack := runGit(t, w.dir, nil, "rev-parse", ref)
						runGit(t, dir, nil, "-c", "fetch.unpackLimit=1000000", "fetch", "-q", w.dir, pack+":refs/heads/"+ref)
					}
					return dir
				},
				"work tree": func() string {
					dir := filepath.Join(t.TempDir(), "tree")
					runGit(t, w.dir, nil, "clone", "-q", "--no-local", "-b", "main", "file://"+w.dir, dir)
					return dir
				},
			} {
				a := w.audit(make(), nil)
				w.compare(a)
				data, err := report.CanonicalAudit(a)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = data
				} else if !bytes.Equal(data, want) {
					t.Errorf("%s: another result than of another form:\n%s\n%s", name, data, want)
				}
			}
			compiled, err := stricttest.Compile("audit")
			if err != nil {
				t.Fatal(err)
			}
			var document any
			if err := json.Unmarshal(want, &document); err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(document); err != nil {
				t.Errorf("%#v", err)
			}
		})
	}
}

// TestAuditIncomplete wants what is missing to be unknown, and no lie that there is none.
func TestAuditIncomplete(t *testing.T) {
	w := newWorld(t)
	small(w)
	w.build()
	runGit(t, w.dir, nil, "config", "uploadpack.allowFilter", "true")
	for name, c := range map[string]struct {
		dir   string
		block int
		fix   string
	}{
		"shallow":          {w.clone("--depth", "6", "--no-single-branch"), 2, "git fetch --unshallow"},
		"without blobs":    {w.clone("--filter=blob:none"), 0, "--refetch"},
		"without archive":  {w.clone("--single-branch"), 0, "git fetch origin closeout-archive:closeout-archive"},
		"archive, no blob": {w.withArchive(), 2, "no filter"},
	} {
		a := w.audit(c.dir, nil)
		fixes := ""
		for _, f := range a.Findings {
			if f.Severity == "unknown" {
				fixes += f.Fix + "\n"
			}
		}
		if a.Counts.Unknown == 0 || a.Counts.Block > c.block || !strings.Contains(fixes, c.fix) {
			t.Errorf("%s: %+v, fixes %q, expected at most %d that block\n%+v", name, a.Counts, fixes, c.block, a.Findings)
		}
	}
}

// withArchive is a clone without blobs, but for those of the archive.
func (w *world) withArchive() string {
	dir := w.clone("--filter=blob:none", "--single-branch")
	runGit(w.t, dir, nil, "-c", "remote.origin.partialclonefilter=", "fetch", "-q", "--no-filter", "origin", "closeout-archive:closeout-archive")
	return dir
}

// TestAuditPast wants the bytes of then, where the archive is that of then.
func TestAuditPast(t *testing.T) {
	w := newWorld(t)
	small(w)
	w.build()
	then, archived := w.ids[w.tip()], runGit(t, w.dir, nil, "rev-parse", "closeout-archive")
	before, err := report.CanonicalAudit(w.audit(w.dir, nil))
	if err != nil {
		t.Fatal(err)
	}
	more := runGit(t, w.dir, nil, "commit-tree", "-p", then, "-m", "more", then+"^{tree}")
	runGit(t, w.dir, nil, "update-ref", "refs/heads/main", more)
	for _, until := range []string{then, "2025-10-10"} {
		a := w.audit(w.dir, func(o *AuditOptions) { o.Until, o.Archive = until, archived })
		after, err := report.CanonicalAudit(a)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("until %s: %v\n%s\n%s", until, err, before, after)
		}
	}
	if a := w.audit(w.dir, func(o *AuditOptions) { o.AsOf = "2026-02-03" }); a.Counts.Info != 1 || a.Findings[len(a.Findings)-1].Code != "audit.pending" {
		t.Errorf("a newer commit: %+v", a.Findings)
	}
}
