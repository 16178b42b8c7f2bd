package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

// What a bundle claims about the repository is compared with the clone here: a bundle that was made up replays perfectly.

// compareSubject compares the subject of the report with the history of the branch.
func (x *examination) compareSubject() {
	s := &x.r.Subject
	x.repository = deref(s.Repository)
	if x.known != nil {
		x.repositoryID = x.known.Subject.RepositoryID
		if b := x.known.Subject.BaseBranch; b != "" && b != x.m.Entry.Branch {
			x.add(unbound("the decision is about a merge into another branch", "", x.m.Entry.Branch, b))
		}
	}
	for i, base := range []struct{ name, commit string }{{"base", deref(s.BaseSHA)}, {"merge base", deref(s.MergeBaseSHA)}} {
		if i > 0 && base.commit == deref(s.BaseSHA) {
			break
		}
		if base.commit != "" && !x.before(base.name, base.commit) {
			x.add(unbound("the "+base.name+" of the decision is not what was on the branch before the merge", "", "an ancestor of "+orNone(x.parent), base.commit))
		}
	}
}

// before reports whether a commit was on the branch before what was merged. It also reports true, with a finding, when git cannot tell.
func (x *examination) before(name, commit string) bool {
	if at, ok := x.Line.At(commit); ok {
		parent, known := x.Line.At(x.parent)
		return (known && at >= parent) || (!known && x.Line.Incomplete)
	}
	if x.parent == "" {
		return false
	}
	is, err := x.Repo.Ancestor(commit, x.parent)
	if err != nil {
		x.unavailable("the "+name+" of a decision", err)
		return true
	}
	return is
}

// compareContent compares what was decided with what was merged.
func (x *examination) compareContent() {
	b, err := x.Repo.Bind(x.m.Entry.Commits, x.parent, x.r, x.m.Bundle, x.known)
	if err != nil {
		x.unavailable("what the commit changes", err)
		return
	}
	x.Row.Binding = b.How
	switch b.How {
	case report.BindingNone:
		x.add(unbound("something else was merged than what was decided", b.Path, "the content that was judged", "the path "+b.Why))
	case report.BindingPartly:
		x.add(finding("audit.partly_bound", "the merge of a file that the branch had changed too cannot be checked", about{path: b.Path},
			"the content that was judged", "the path "+b.Why, "fetch the head of the pull request, refs/pull/N/head, or compare the file by hand"))
	}
}

// compareContracts compares the contracts of the bundle with those of the repository.
func (x *examination) compareContracts() {
	if x.known == nil || x.known.Contracts == nil {
		x.operatorContract("", "the facts do not say where the contract is from")
	} else {
		x.contractsOf(x.known, x.m.Bundle.Inputs, true)
	}
	for _, part := range x.m.Bundle.Parts {
		if f := x.factsOf(part.Inputs); f != nil {
			x.contractsOf(f, part.Inputs, false)
		}
	}
}

// factsOf reads the facts among inputs; nil when there are none.
func (x *examination) factsOf(inputs []verify.Input) *facts.Facts {
	data := readInput(inputs, check.Facts, "")
	if data == nil {
		return nil
	}
	f, errs := facts.Parse(data, input.DefaultLimits())
	if errs.Any() {
		return nil
	}
	return f
}

// readInput reads an input by its kind, and its name unless that is ""; nil when there is none.
func readInput(inputs []verify.Input, kind check.Kind, name string) []byte {
	for _, in := range inputs {
		if in.Kind == kind && (name == "" || in.Name == name) {
			if data, err := in.Read(input.DefaultLimits().DiffBytes); err == nil {
				return append([]byte{}, data...)
			}
		}
	}
	return nil
}

// contractsOf compares the contracts that facts list; standing is true where the standing contract must be among them.
func (x *examination) contractsOf(f *facts.Facts, inputs []verify.Input, standing bool) {
	for _, c := range f.Contracts {
		kind := check.TaskContract
		if strings.HasPrefix(c.File, "scope_contract.") {
			kind = check.Contract
		}
		data := readInput(inputs, kind, c.File)
		switch {
		case data == nil:
			continue // the judge reports it
		case c.Trust == facts.TrustBase:
			x.baseContract(f, &c, x.Repo.BlobID(data))
		case c.Trust == facts.TrustHead:
			x.headContract(&c, inputs, x.Repo.BlobID(data))
		default:
			x.operatorContract(c.Path, "the operator supplied it")
		}
	}
	if standing && !slices.ContainsFunc(f.Contracts, func(c facts.ContractOrigin) bool { return strings.HasPrefix(c.File, "scope_contract.") }) &&
		readInput(inputs, check.Contract, "") != nil {
		x.operatorContract("", "the facts do not list it")
	}
}

func (x *examination) operatorContract(path, actual string) {
	x.add(finding("audit.operator_contract", "the decision was made by a contract that the repository does not vouch for", about{path: path},
		"the contract of the branch", actual, "compare it with the contract of the branch: it is in the bundle of the decision"))
}

// baseContract looks for a contract where its origin says that it is from.
func (x *examination) baseContract(f *facts.Facts, c *facts.ContractOrigin, id string) {
	commit := cmp.Or(c.Commit, f.Subject.BaseSHA)
	at, onLine := x.Line.At(commit)
	parent, known := x.Line.At(x.parent)
	foreign := func(actual string) {
		x.add(finding("audit.contradicted", "the decision was made by a contract that the branch did not have", about{path: c.Path, identity: []string{"contract", c.File}},
			"the contract of a commit of the branch before the merge", actual, "distrust the decision: its bundle may be made up"))
	}
	switch {
	case x.Line.Incomplete && (!onLine || !known):
		x.unavailable("the commit of a contract", errors.New("commit "+orNone(commit)+" is not in the clone"))
		return
	case !onLine || !known || at < parent:
		foreign("the commit " + orNone(commit) + ", which the branch did not contain")
		return
	}
	there, err := x.Repo.Blob(commit, c.Path)
	if err != nil {
		x.unavailable("a contract of the branch", err)
		return
	}
	if there != id {
		foreign("a text that " + short(commit) + " does not have at this path")
	}
}

// short is the beginning of a commit id, for a message.
func short(id string) string { return id[:min(len(id), 12)] }

// headContract looks for a contract of the change among its files.
func (x *examination) headContract(c *facts.ContractOrigin, inputs []verify.Input, id string) {
	data := readInput(inputs, check.Changes, "")
	list, errs := change.ReadChanges(bytes.NewReader(data), input.DefaultLimits())
	if data == nil || errs.Any() {
		return // bound without a list of files
	}
	if !slices.ContainsFunc(list, func(ch change.Change) bool { return ch.Path == c.Path && ch.NewID == id }) {
		x.add(finding("audit.contradicted", "the decision was made by a task contract that the change does not contain", about{path: c.Path, identity: []string{"contract", c.File}},
			"a file of the change", "another text, or none", "distrust the decision: its bundle may be made up"))
	}
}

// findLate says that the decision was made when GitHub had merged already: it let nothing in.
func (x *examination) findLate() {
	of := func(f *facts.Facts) {
		if f == nil || f.GitHub == nil || f.GitHub.PullRequest == nil || !f.GitHub.PullRequest.Merged {
			return
		}
		number := strconv.FormatInt(f.GitHub.PullRequest.Number, 10)
		x.add(afterMerge("pull request "+number+" was merged already", "a decision about an open pull request", "GitHub called it merged when the gate asked"))
	}
	of(x.known)
	for _, part := range x.m.Bundle.Parts {
		of(x.factsOf(part.Inputs))
	}
}

func afterMerge(why, expected, actual string) report.AuditFinding {
	return finding("audit.after_merge", "the decision was made after the merge: "+why, about{identity: []string{why}}, expected, actual,
		"read which run made the entry, and have the merge reviewed unless a decision from before it is found")
}

// findLeftOut examines which pull requests applies_to left out.
func (x *examination) findLeftOut() {
	unjudged := x.r.LeftOut()
	for _, number := range unjudged {
		f := x.known
		for _, part := range x.m.Bundle.Parts {
			if part.PullRequest == number {
				f = x.factsOf(part.Inputs)
			}
		}
		x.notJudged(number, f)
	}
	isLeftOut := func(n string) bool {
		return slices.ContainsFunc(unjudged, func(left int64) bool { return strconv.FormatInt(left, 10) == n })
	}
	ofGroup := len(x.r.PullRequests) > 0 && len(x.Entry.PullRequests) > 0 // an entry may answer for some of its pull requests
	if x.r.NotJudged() || (ofGroup && !slices.ContainsFunc(x.Entry.PullRequests, func(n string) bool { return !isLeftOut(n) })) {
		x.Row.Verdict = report.NotJudged
	}
}

// notJudged looks for the author in the contract that the branch had before the merge: by which contract the gate left the author out is
// only what the bundle says. Facts are nil where the bundle has none.
func (x *examination) notJudged(number int64, f *facts.Facts) {
	what := "the merge"
	if number > 0 {
		what = fmt.Sprintf("pull request %d", number)
	}
	author := "no author that the facts name"
	if f != nil && f.GitHub != nil && f.GitHub.PullRequest != nil {
		pr, path := f.GitHub.PullRequest, ""
		author = cmp.Or(pr.Author, author)
		for _, c := range f.Contracts {
			if strings.HasPrefix(c.File, "scope_contract.") {
				path = c.Path
			}
		}
		if x.cut {
			return // what is before the merge is unavailable
		}
		standing, err := x.Repo.Contract(x.parent, path)
		switch {
		case err != nil:
			x.unavailable("the contract of the branch before the merge", err)
			return
		case standing != nil && standing.AppliesTo != nil && override.NewAuthors(standing.AppliesTo).LeavesOut(pr):
			x.add(as(input.Info, finding("audit.not_judged", what+" was not judged: the contract leaves out its author", about{identity: []string{what}},
				"a decision, or an author that applies_to leaves out", author, "no action is needed: applies_to of the contract says who is judged")))
			return
		}
	}
	x.add(finding("audit.not_judged", what+" was not judged, and the contract of the branch does not leave out its author", about{identity: []string{what}},
		"a decision, or an author that applies_to leaves out at "+orNone(x.parent), author, "have the merge reviewed, and distrust the bundle"))
}

// listOverrides lists who overrode, and looks for authors among them.
func (x *examination) listOverrides() {
	x.authors = map[string][]string{}
	if x.r.Override != nil {
		x.override(x.r.Override, pullRequests(x.r), 0, x.known)
	}
	for i := range x.r.PullRequests {
		p := &x.r.PullRequests[i]
		if p.Override == nil {
			continue
		}
		var f *facts.Facts
		for _, part := range x.m.Bundle.Parts {
			if part.PullRequest == p.Number {
				f = x.factsOf(part.Inputs)
			}
		}
		x.override(p.Override, []string{strconv.FormatInt(p.Number, 10)}, p.Number, f)
	}
}

func (x *examination) override(o *report.Override, pulls []string, member int64, f *facts.Facts) {
	row := report.AuditOverride{Actor: o.Actor, ActorID: o.ActorID, Reason: o.Why(), HeadSHA: o.HeadSHA, Codes: []string{}}
	if len(pulls) == 1 {
		row.PullRequest = &pulls[0]
	}
	for _, found := range x.r.Findings {
		if slices.Contains(o.Accepted, found.Fingerprint) && !slices.Contains(row.Codes, found.Code) && (member == 0 || found.Location.PullRequest == member) {
			row.Codes = append(row.Codes, found.Code)
		}
	}
	slices.Sort(row.Codes)
	x.Row.Overrides = append(x.Row.Overrides, row)
	code := ""
	if c := x.r.OverrideCode; c != nil {
		code = "; override code " + *c
	}
	x.add(finding("audit.overridden", "a person overrode findings that block", about{identity: []string{deref(row.PullRequest), o.ActorID}}, "no finding that blocks",
		strings.Join(row.Codes, ", ")+": by "+who(o)+", because: "+o.Why()+"; head "+short(o.HeadSHA)+code, "read whether the reason fits the findings"))
	if f == nil || f.GitHub == nil || f.GitHub.PullRequest == nil {
		return
	}
	pr := f.GitHub.PullRequest
	if row.PullRequest != nil && pr.Author != "" {
		x.authors[*row.PullRequest] = append(x.authors[*row.PullRequest], pr.Author)
	}
	if role := roleIn(pr, facts.Account{Login: o.Actor, ID: o.ActorID}); role != "" {
		x.add(finding("audit.self_override", "the person who overrode is "+role, about{identity: []string{deref(row.PullRequest), o.ActorID}}, "another person than the authors", who(o),
			"remove override.allow_author from the contract, and have the change reviewed"))
	}
}

func who(o *report.Override) string {
	if o.ActorID == "" {
		return o.Actor
	}
	return o.Actor + " (id " + o.ActorID + ")"
}

// roleIn says what part an account has in a pull request; "" for none.
func roleIn(pr *facts.PullRequest, account facts.Account) string {
	if account.Is(facts.Account{Login: pr.Author, ID: pr.AuthorID}) {
		return "the author of the pull request"
	}
	for _, c := range pr.Commits {
		switch {
		case account.Is(facts.Account{Login: c.Author, ID: c.AuthorID}):
			return "the author of a commit"
		case account.Is(facts.Account{Login: c.Committer, ID: c.CommitterID}):
			return "the committer of a commit"
		case slices.ContainsFunc(c.CoAuthors, func(s string) bool { return isCoAuthor(s, account) }):
			return "a co-author of a commit"
		}
	}
	return ""
}

// isCoAuthor compares an account with a co-author: ID+LOGIN or LOGIN, or an address, which names no account.
func isCoAuthor(text string, account facts.Account) bool {
	if strings.Contains(text, "@") {
		return false
	}
	id, login, both := strings.Cut(text, "+")
	if !both {
		id, login = "", text
	}
	return account.Is(facts.Account{Login: login, ID: id})
}

// sameRepository reports whether a report and an archive are about one repository. Names of repositories do not differ by case.
func sameRepository(origin, repository string) bool {
	parts := strings.Split(strings.TrimPrefix(origin, "closeout-archive/"), "/")
	return len(parts) == 3 && strings.EqualFold(path.Join(parts[1], parts[2]), repository)
}
