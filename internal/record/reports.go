package record

import (
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// maxReports is how many untracked reports are left out of a code tree. Each is read; a call of verify leaves one.
const maxReports = 20

// maxReportSize is more than the report about a change of 200,000 files has.
const maxReportSize = 256 << 20

// dropReports removes the reports that verify left in the work tree from the index and from its differences from HEAD: they are
// no code, as if git ignored them, and a record must not become stale because the gate was asked. The gate's own tree, that of
// a commit, needs no such rule: a report that HEAD or the real index of g contains is code, because a commit will contain it.
func (g *Git) dropReports(real *Git, changes map[string]string) error {
	var reports []string
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if path.Base(name) == report.FileName && strings.HasPrefix(changes[name], ":000000 100644 ") && len(reports) < maxReports && isReport(g.root, name) {
			reports = append(reports, name)
		}
	}
	for _, name := range reports {
		if tracked, err := real.tracked(name); tracked || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := g.run("rm", "-f", "--cached", "--sparse", "-q", "--", ":(top,literal)"+name); err != nil {
			return err
		}
		delete(changes, name)
	}
	return nil
}

// isReport reports whether a regular file of the work tree is a report of closeout.
func isReport(root, name string) bool {
	place, err := placeOf(root, filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	dir, err := place.parent(fail)
	if err != nil {
		return false
	}
	defer dir.Close() // nothing was written to it
	f, err := openRegular(dir, place.name(), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close() // it is only read
	_, ok := report.ReadVerdict(io.LimitReader(f, maxReportSize))
	return ok
}
