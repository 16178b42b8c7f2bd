package facts

import "strings"

// Live is the pull request as GitHub returned it; nil when it is unknown.
func (f *Facts) Live() *PullRequest {
	if f == nil || f.GitHub == nil {
		return nil
	}
	return f.GitHub.PullRequest
}

// AboutPullRequest reports whether what is judged is a pull request.
func (f *Facts) AboutPullRequest() bool {
	return f != nil && (f.Subject.PullRequest > 0 || f.Live() != nil || strings.HasPrefix(f.Event.Name, "pull_request"))
}

// AskedGitHub reports whether the collector asked GitHub about the pull request, with or without an answer.
func (f *Facts) AskedGitHub() bool {
	_, lacking := f.Lacking(WantedPullRequest, "")
	return f.GitHub != nil || lacking
}

// Lacking is the collector's entry about an unavailable fact: the entry about a certain account, else one that is not
// about a certain account.
func (f *Facts) Lacking(kind Wanted, about string) (Unavailable, bool) {
	var general Unavailable
	found := false
	for _, u := range f.Unavailable {
		switch {
		case u.What != kind:
		case about != "" && FoldLogin(u.About) == FoldLogin(about):
			return u, true
		case !found && (u.About == "" || about == ""):
			general, found = u, true
		}
	}
	return general, found
}
