package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/source"
)

// addCriteria appends a contract's criteria. One that another contract has already demanded is joined with it; an id
// that names two different commands is a problem.
func (p *Policy) addCriteria(s Source) []source.Error {
	var problems []source.Error
	offset := len(p.Criteria)
	p.joined = map[string]string{}
	for _, c := range s.Contract.Criteria {
		id, e := p.addCriterion(c, s, offset)
		if e != nil {
			problems = append(problems, *e)
		}
		p.joined[c.ID] = id
	}
	problems = append(problems, p.resolveProves(offset)...)
	if s.HeadOnly() {
		problems = append(problems, p.checkHeadCriteria(s, offset)...)
	}
	return problems
}

// addCriterion returns the id that the criterion has in the join. It compares commands only with the criteria before
// offset: those of the same contract were compared by its parser.
func (p *Policy) addCriterion(c evidence.Criterion, s Source, offset int) (string, *source.Error) {
	if old := p.sameCriterion(c, offset); old != nil {
		return old.ID, p.joinCriterion(old, c, s)
	}
	if !c.IDGiven && offset > 0 {
		c.ID = p.freeID(s.Contract)
	}
	if p.hasID(c.ID) {
		return c.ID, clash(c, "the criterion id "+c.ID+" names another command in the standing contract", c.ID, "an id of its own")
	}
	if p.current > 0 {
		p.raise[c.ID], c.MinEvidence = c.MinEvidence, ""
	}
	p.origin[c.ID] = p.current
	p.Criteria = append(p.Criteria, c)
	return c.ID, nil
}

// sameCriterion is the criterion before offset that has the same command, the one of the same id where two have it; nil
// when there is none.
func (p *Policy) sameCriterion(c evidence.Criterion, offset int) *evidence.Criterion {
	var same *evidence.Criterion
	for i := range p.Criteria[:offset] {
		old := &p.Criteria[i]
		if sameCommand(*old, c) && (same == nil || c.IDGiven && old.ID == c.ID) {
			same = old
		}
	}
	return same
}

func (p *Policy) hasID(id string) bool {
	return slices.ContainsFunc(p.Criteria, func(o evidence.Criterion) bool { return o.ID == id })
}

// freeID is the next id by position that no criterion has, nor one of the contract that is being joined.
func (p *Policy) freeID(own *evidence.Contract) string {
	for n := len(p.Criteria) + 1; ; n++ {
		id := fmt.Sprintf("c%d", n)
		given := slices.ContainsFunc(own.Criteria, func(c evidence.Criterion) bool { return c.IDGiven && c.ID == id })
		if !given && !p.hasID(id) {
			return id
		}
	}
}

// Minimum is the evidence level that a criterion needs where fallback is the level for all. A later contract can ask for
// more than that, not for less.
func (p *Policy) Minimum(c *evidence.Criterion, fallback evidence.Level) evidence.Level {
	if c.MinEvidence != "" {
		fallback = c.MinEvidence
	}
	return evidence.Stronger(fallback, p.raise[c.ID])
}

// joinCriterion makes the stricter one of two criteria with the same command.
func (p *Policy) joinCriterion(old *evidence.Criterion, c evidence.Criterion, s Source) *source.Error {
	if c.IDGiven && c.ID != old.ID && p.hasID(c.ID) {
		return clash(c, "the criterion id "+c.ID+" names another command in the standing contract", c.ID, old.ID)
	}
	if s.HeadOnly() {
		return p.joinHeadCriterion(old, c)
	}
	switch {
	case old.ExpectFail != c.ExpectFail:
		return clash(c, "the standing contract expects the opposite of this command", "the opposite expect", "the same expect")
	case old.TestReport != "" && c.TestReport != "" && old.TestReport != c.TestReport:
		return clash(c, "the standing contract names another test report for this command", c.TestReport, old.TestReport)
	}
	old.MaxAttempts = min(old.MaxAttempts, c.MaxAttempts)
	p.raise[old.ID] = evidence.Stronger(p.raise[old.ID], c.MinEvidence)
	old.MinTests = max(old.MinTests, c.MinTests)
	if old.TestReport == "" {
		old.TestReport = c.TestReport
	}
	return nil
}

func clash(c evidence.Criterion, message, found, expected string) *source.Error {
	return &source.Error{
		Pos: c.Pos, Where: "/acceptance_criteria", Message: message, Found: found, Expected: expected,
		Fix: "remove the criterion from the task contract, or make it agree with the standing contract",
	}
}

// resolveProves turns the ids by which a contract's controls name its criteria into those of the join, and checks that
// each control proves a criterion that is expected to pass.
func (p *Policy) resolveProves(offset int) []source.Error {
	var problems []source.Error
	for i := range p.Criteria[offset:] {
		c := &p.Criteria[offset+i]
		if c.Proves.Value == "" {
			continue
		}
		c.Proves.Value = p.idOf(c.Proves.Value)
		proven := slices.IndexFunc(p.Criteria, func(o evidence.Criterion) bool { return o.ID == c.Proves.Value })
		if proven < 0 || p.Criteria[proven].ExpectFail {
			problems = append(problems, source.Error{
				Pos: c.Proves.Pos, Where: "/acceptance_criteria", Message: "a negative control proves a criterion that is not there",
				Found: c.Proves.Value, Expected: "the id of a criterion that is expected to pass", Fix: "correct proves",
			})
		}
	}
	return problems
}

// sameCommand reports whether the same records decide two criteria.
func sameCommand(a, b evidence.Criterion) bool { return a.Cwd == b.Cwd && slices.Equal(a.Run, b.Run) }

// arguments are the files that acceptance commands name, by their folded path.
type arguments map[string]argument

// argument is a file that a command names, in every spelling, and the first criterion that does so.
type argument struct {
	criterion string
	paths     map[string]bool
}

func (a arguments) add(path, criterion string) {
	folded := glob.Fold(path)
	if _, ok := a[folded]; !ok {
		a[folded] = argument{criterion, map[string]bool{}}
	}
	a[folded].paths[path] = true
}

// maxArguments is how many words of all commands are tried as paths, each in each folder that its command changes to.
// People write some dozens.
const maxArguments = 100_000

// argumentPaths collects the files that acceptance arguments may name, relative to each criterion's cwd and to the
// folders that the command changes to. Scripts such as the one after bash -c are taken apart at blanks and operators, so
// that a script they call is seen as well. excess is the criterion with which there are more than maxArguments; nil when
// there are not.
func argumentPaths(criteria []evidence.Criterion) (paths arguments, excess *evidence.Criterion) {
	paths = arguments{}
	left := maxArguments
	for i := range criteria {
		c := &criteria[i]
		words, folders := wordsAndFolders(c)
		if left -= len(words) * len(folders); left < 0 {
			return paths, c
		}
		for _, folder := range folders {
			for _, w := range words {
				if p := argumentPath(folder, w); p != "" {
					paths.add(p, c.ID)
				}
			}
		}
	}
	return paths, nil
}

// wordsAndFolders gives the different words of a command, and the folders in which it may use them.
func wordsAndFolders(c *evidence.Criterion) (words, folders []string) {
	for _, arg := range c.Run {
		words = append(words, argumentWords(arg)...)
	}
	folders = []string{c.Cwd}
	for i := 1; i < len(words); i++ {
		if words[i-1] == "cd" || words[i-1] == "-C" {
			folders = append(folders, path.Join(c.Cwd, words[i]))
		}
	}
	return unique(words), unique(folders)
}

// unique sorts a list and leaves out what it holds already.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func tooManyArguments(c *evidence.Criterion) source.Error {
	return source.Error{
		Pos: c.Pos, Where: "/acceptance_criteria", Message: "the commands have too many words that may be files",
		Found:    fmt.Sprintf("more than %d with the criterion %s, in the folders that it changes to", maxArguments, c.ID),
		Expected: fmt.Sprintf("at most %d over all criteria", maxArguments), Fix: "put long commands into a script, and name that",
	}
}

// ArgumentPaths lists the paths that acceptance arguments may name, sorted; whether there are such files is for others
// to see. Criteria of a policy do not name too many.
func ArgumentPaths(criteria []evidence.Criterion) []string {
	var list []string
	paths, _ := argumentPaths(criteria)
	for _, a := range paths {
		list = slices.AppendSeq(list, maps.Keys(a.paths))
	}
	slices.Sort(list)
	return list
}

// argumentWords gives an argument and its words, and of each the parts that a list, a prefix or an option is made of.
func argumentWords(arg string) []string {
	words := append([]string{arg}, strings.FieldsFunc(arg, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;&|()<>\"'`", r)
	})...)
	for _, w := range words {
		parts := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=,:", r) })
		if len(parts) > 1 {
			words = append(words, parts...)
		}
		if len(w) > 2 && w[0] == '-' && w[1] != '-' {
			words = append(words, w[2:])
		}
	}
	return words
}

// argumentPath is the path that a word names; "" when it cannot be a file of the repository.
func argumentPath(folder, word string) string {
	word, _, _ = strings.Cut(strings.TrimPrefix(word, "@"), "::")
	for _, here := range []string{"$PWD/", "${PWD}/"} {
		word = strings.TrimPrefix(word, here)
	}
	if word == "" || strings.HasPrefix(word, "/") {
		return ""
	}
	p := path.Join(folder, word)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}
