package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
)

const maxFiles = 3000 // that GitHub lists for a pull request

// CrossCheck compares the changes between merge base and live head with the files that GitHub lists for the pull request:
// two sources that must name the same paths. Where they disagree, or the list is unavailable, p says so.
//
// GitHub lists 3,000 files. Of a larger change, those that are listed must be among the changes, and GitHub's count
// must match: a rename is one file there, and two paths here.
func (c *Client) CrossCheck(ctx context.Context, p *Pull, changes []change.Change) {
	if p.Live == nil {
		return
	}
	list, err := all[github.CommitFile](ctx, c, c.path("pulls/%d/files", p.Live.Number), maxFiles)
	if err != nil {
		c.lacks(p, facts.WantedChanges, "", err)
		return
	}
	if why := disagreement(p.Live.ChangedFiles, list, changes); why != "" {
		p.lacks(facts.Unavailable{
			What: facts.WantedChanges, Error: why,
			Fix: "run the job again; if that does not help, push to the pull request, so that GitHub compares it again",
		})
	}
}

// disagreement says how the two sources differ; "" when they agree.
func disagreement(counted int64, list []github.CommitFile, changes []change.Change) string {
	touched, listed := map[string]bool{}, map[string]bool{}
	for _, change := range changes {
		touched[change.Path] = true
	}
	for _, file := range list {
		listed[file.GetFilename()] = true
		if file.GetStatus() == "renamed" {
			listed[file.GetPreviousFilename()] = true
		}
	}
	if only := firstOnlyIn(listed, touched); only != "" {
		return fmt.Sprintf("GitHub lists %q as changed, but the trees do not differ there", cut(only, 200))
	}
	files := int64(len(changes))
	if len(list) >= maxFiles {
		if counted > files || files > 2*counted {
			return fmt.Sprintf("GitHub counts %d changed files, but the trees differ in %d paths", counted, files)
		}
		return ""
	}
	if only := firstOnlyIn(touched, listed); only != "" {
		return fmt.Sprintf("the trees differ in %q, but GitHub does not list it as changed", cut(only, 200))
	}
	if counted != int64(len(list)) {
		return fmt.Sprintf("GitHub counts %d changed files, but lists %d", counted, len(list))
	}
	return ""
}

// firstOnlyIn is the first path, by its bytes, that the other set does not contain; "" for none.
func firstOnlyIn(paths, other map[string]bool) string {
	var only []string
	for path := range paths {
		if !other[path] {
			only = append(only, path)
		}
	}
	if len(only) == 0 {
		return ""
	}
	return slices.MinFunc(only, strings.Compare)
}
