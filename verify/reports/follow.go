package reports

import (
	"cmp"
	"strings"
)

// CaseState is what became of a case in another run.
type CaseState byte

// What became of a case.
const (
	CaseAbsent CaseState = iota // it is not listed, was skipped, or ran less often without a failure
	CaseFailed
	CasePassed
)

// Follower finds the cases of one report in another report of the same tests.
type Follower struct {
	listed map[[2]string]*TestName
	fresh  map[[2]string]*TestName // those that only the other report lists, by their stable names
	ran    map[[2]string]bool      // functions of which a case ran
}

// Follow prepares to find the cases of base in other.
func Follow(base, other *TestNames) *Follower {
	f := &Follower{map[[2]string]*TestName{}, map[[2]string]*TestName{}, map[[2]string]bool{}}
	known := make(map[[2]string]bool, len(base.Names))
	for _, t := range base.Names {
		known[[2]string{t.Group, t.Name}] = true
	}
	for i := range other.Names {
		t := &other.Names[i]
		if t.Ran() {
			f.ran[[2]string{t.Group, FunctionOf(t.Name)}] = true
		}
		if key := [2]string{t.Group, t.Name}; known[key] {
			f.listed[key] = t
			continue
		}
		key := [2]string{t.Group, StableName(t.Name)}
		sum := f.fresh[key]
		if sum == nil {
			sum = &TestName{}
			f.fresh[key] = sum
		}
		sum.Passed, sum.Failed, sum.Skipped = sum.Passed+t.Passed, sum.Failed+t.Failed, sum.Skipped+t.Skipped
		sum.Error = cmp.Or(sum.Error, t.Error)
	}
	return f
}

// StateOf says what became of a case that passed, and the first line of its failure. Ask once for each: a case whose name has
// other numbers now stands for one case of the base.
func (f *Follower) StateOf(t *TestName) (state CaseState, failure string) {
	n := f.find(t)
	switch {
	case n == nil:
		return CaseAbsent, ""
	case n.Passed >= t.Passed && !n.Failing:
		n.take(t.Passed)
		return CasePassed, ""
	case n.Failed > 0:
		return CaseFailed, n.Error
	}
	return CaseAbsent, ""
}

func (f *Follower) find(t *TestName) *TestName {
	if n := f.listed[[2]string{t.Group, t.Name}]; n != nil {
		return n
	}
	return f.fresh[[2]string{t.Group, StableName(t.Name)}]
}

// Skipped reports whether a case was skipped.
func (f *Follower) Skipped(t *TestName) bool {
	n := f.find(t)
	return n != nil && n.Skipped > 0
}

// Ran reports whether a case of the same function ran.
func (f *Follower) Ran(t *TestName) bool { return f.ran[[2]string{t.Group, FunctionOf(t.Name)}] }

// Failing reports whether a case, under its own name, failed in the end.
func (f *Follower) Failing(t *TestName) bool {
	n := f.listed[[2]string{t.Group, t.Name}]
	return n != nil && n.Failing
}

// take leaves out runs that stand for a case, in the sum of those that have other names.
func (t *TestName) take(runs int32) {
	if t.Name == "" {
		t.Passed -= runs
	}
}

// PassedCases are the cases that passed in the end.
func (t *TestNames) PassedCases() []*TestName {
	var list []*TestName
	for i := range t.Names {
		if n := &t.Names[i]; n.Passed > 0 && !n.Failing {
			list = append(list, n)
		}
	}
	return list
}

// TrimRoot leaves the root of the work tree out of the names.
func (t *TestNames) TrimRoot(root string) {
	for i := range t.Names {
		n := &t.Names[i]
		n.Group, n.Name, n.Error = WithoutRoot(n.Group, root), WithoutRoot(n.Name, root), WithoutRoot(n.Error, root)
	}
	why := map[string]string{}
	for i, name := range t.Broken {
		t.Broken[i] = WithoutRoot(name, root)
		why[t.Broken[i]] = WithoutRoot(t.Why[name], root)
	}
	t.Why = why
}

// WithoutRoot leaves the root of a work tree, unless it is "", out of a name.
func WithoutRoot(name, root string) string {
	if root == "" {
		return name
	}
	return strings.ReplaceAll(name, root+"/", "")
}
