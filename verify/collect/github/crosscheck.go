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

const maxFiles = 3000 // that GitHub lists of a pull request

// CrossCheck holds what two trees differ in against the files that GitHub lists for the pull request: two sources that
// must name the same paths. The changes are those between merge base and live head. Where they disagree, or the list
// cannot be had, that is written into p.
//
// GitHub lists 3,000 files. Of a larger change, those that are listed must be among the changes, and the count that
// GitHub gives must fit: a rename is one file there, and two paths here.
func (c *Client) CrossCheck(ctx context.Context, p *Pull, changes []change.Change) {
	if p.Live == nil {
		return
	}
	list, err := all[github.CommitFile](ctx, c, c.path("pulls/%d/files", p.Live.Number), maxFiles)
	if err != nil {
		p.lacks(c.unknown(facts.WantedChanges, err, needPulls))
		return
	}
	if why := disagreement(p.Live.ChangedFiles, list, changes); why != "" {
		p.lacks(facts.Unavailable{
			What: facts.WantedChanges, Error: why,
			Fix: "run the job again; if that does not help, push to the pull request, so that GitHub compares it anew",
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
		return fmt.Sprintf("GitHub lists %q as changed, the trees do not differ there", cut(only, 200))
	}
	files := int64(len(changes))
	if len(list) >= maxFiles {
		if counted > files || files > 2*counted {
			return fmt.Sprintf("GitHub counts %d changed files, the trees differ in %d paths", counted, files)
		}
		return ""
	}
	if only := firstOnlyIn(touched, listed); only != "" {
		return fmt.Sprintf("the trees differ in %q, GitHub does not list it as changed", cut(only, 200))
	}
	if counted != int64(len(list)) {
		return fmt.Sprintf("GitHub counts %d changed files, and lists %d", counted, len(list))
	}
	return ""
}

// firstOnlyIn is the first path, by its bytes, that the other set lacks; "" for none.
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
