package checks

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
)

// ScopeCheck checks that the change touches only what the contract allows.
var ScopeCheck = &check.Check{
	ID:    "scope",
	Title: "The change touches only what the contract allows",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"scope.forbidden", "scope.protected", "scope.evidence", "scope.off_scope", "scope.irregular_path",
			"scope.special_file", "scope.empty_diff", "scope.base_branch",
		),
		check.CodesWith(input.Info, "scope.hidden_from_review", "scope.soft"),
		check.CodesWith(input.Warn, "scope.universal_glob"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeMember | check.ScopePast,
	Needs: []check.Kind{check.Contract, check.Changes},
	Run:   runScope,
}

func runScope(p *check.Pass) {
	var allowed []string // the first patterns that allow a file
	roots := map[string]bool{}
	for _, s := range p.Policy.Sources {
		for _, a := range s.Contract.AllowedFiles {
			allowed = append(allowed, a.Value)
			if strings.HasPrefix(a.Value, "*.") && !strings.Contains(a.Value, "/") {
				roots[a.Value] = true
			}
		}
	}
	off := offScope{allowed: strings.Join(input.First(allowed, 5), ", "), roots: roots, trial: p.IsTrial(), update: newUpdate(p)}
	for _, c := range p.Changes {
		if c.Class == policy.ClassOffScope && !c.Contract && c.Severity == input.Block {
			off.count++
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Contract || (off.trial && c.Path == p.Policy.Sources[0].Path) {
			continue // contract.changed or contract.trial is that path's only finding
		}
		reportPath(p, c, off)
		for j := range c.Attributes { // by some, a code host no longer shows what changes in a file
			e := &c.Attributes[j]
			if !e.Hides() {
				continue
			}
			f := fileFinding(p, "scope.hidden_from_review", c)
			f.Message = fmt.Sprintf("reviewers no longer see what changes in %s: %s is %s", policy.Paths(e, "file"), e.Attribute, e.Now)
			f.Expected = "files that reviews show today stay visible"
			f.Fix = "no action is needed, where the files are generated or binary"
			f.Pos.Line, f.Identity = e.Line, []string{e.Attribute}
			p.Report(f)
		}
	}
	reportEmptyDiff(p)
	reportUniversal(p)
	reportBranch(p)
}

// reportPath reports the class of a path, and a special file in addition. That the path is irregular is a finding of its
// own only where nothing else about the path blocks; else the first finding says it.
func reportPath(p *check.Pass, c *check.JudgedPath, off offScope) {
	f, reported := classFinding(p, c, off)
	isSpecial := c.SpecialCounts(&c.Change)
	var special check.Finding
	if isSpecial { // a symlink or submodule that the change brings in, unless every contract names the path
		what := "a symlink"
		if c.NewMode == change.Submodule {
			what = "a submodule"
		}
		special = fileFinding(p, "scope.special_file", c)
		special.Message = "this is " + what + ", which can point to files outside the scope"
		special.Expected = "a regular file, or the path written literally in allowed_files of every contract"
		special.Fix = "replace it with a regular file; a person may allow exactly this path"
		special.Identity = append(special.Identity, string(c.NewMode))
		special.Contract = clause(p, p.Policy.Unnamed(c.Path))
	}
	why := policy.Irregular(c.Path)
	if why == "" && c.Folded {
		why = "it differs only in case or in the composition of characters from a forbidden or protected path: " + c.Because
	}
	if why != "" {
		// A finding about the class that has no other severity of its own blocks, but for a soft file.
		blocks := reported && (f.Severity == input.Block || (f.Severity == "" && f.Code != "scope.soft"))
		switch note := "the path is irregular: " + why; {
		case blocks:
			f.Message += "; " + note
		case isSpecial:
			special.Message += "; " + note
		default:
			f := fileFinding(p, "scope.irregular_path", c)
			f.Message, f.Expected, f.Fix = note, "a path that means the same file on every system and to every reader", "rename the file"
			p.Report(f)
		}
	}
	if reported {
		p.Report(f)
	}
	if isSpecial {
		p.Report(special)
	}
}

// offScope is what the findings about all off-scope files share.
type offScope struct {
	count   int64           // of those at block
	allowed string          // the patterns that allow a file
	roots   map[string]bool // the patterns *.EXTENSION among all of them, which match only at the root
	trial   bool            // the change brings the contract: what comes with it waits for the person who merges it
	update
}

// update is a pull request that an update bot opened.
type update struct {
	bot string           // "" for none
	own *override.Answer // whether all commits are the bot's
}

func newUpdate(p *check.Pass) (o update) {
	if pr := p.Facts.Live(); pr != nil && p.Standing != nil && override.IsByBot(p.Standing.UpdateBots, pr) {
		own := override.OnlyByBot(p.Facts)
		o.bot, o.own = pr.Author, &own
	}
	return o
}

// except takes a finding about scope, protection or a task back where the change is an update by a bot alone.
func (o *update) except(p *check.Pass, f *check.Finding) {
	if o.own == nil || (f.Severity != "" && f.Severity != input.Block) {
		return
	}
	switch o.own.State {
	case override.Yes:
		f.Severity, f.Fix = input.Info, "no action is needed"
		f.Message += "; it is an update by " + o.bot + ", whom applies_to.except names"
	case override.No:
		f.Message += "; applies_to.except does not hold: " + o.own.Why
		f.Fix += "; " + o.own.Do
	default:
		u, found := p.Facts.Lacking(o.own.Missing.Kind, "")
		f.Severity, f.Fix = input.Unknown, cmp.Or(u.Fix, check.Permissions[o.own.Missing.Kind])
		f.Message += "; " + o.own.Why
		if found {
			f.Lacks, f.Undecided = &u, strings.TrimPrefix(o.own.Why, "cannot determine ")
		}
	}
}

// trialFix is the fix for a file that comes with the first contract, such as the gate's own workflow, which is protected.
const trialFix = "keep it if it belongs to the gate; the person who merges the contract reviews this file too"

// deeper is the pattern that would allow a path if it did not match only at the root; "" when there is none.
func (o *offScope) deeper(path string) string {
	slash := strings.LastIndexByte(path, '/')
	for at := slash + 1; slash >= 0 && at < len(path); at++ {
		if pattern := "*" + path[at:]; path[at] == '.' && o.roots[pattern] {
			return pattern
		}
	}
	return ""
}

// fileFinding starts a finding about a touched path.
func fileFinding(p *check.Pass, code string, c *check.JudgedPath) check.Finding {
	mode := string(c.OldMode)
	switch {
	case c.Status == change.Added:
		mode = string(c.NewMode)
	case c.Status != change.Deleted && c.OldMode != c.NewMode:
		mode = fmt.Sprintf("%s to %s", c.OldMode, c.NewMode)
	}
	return check.Finding{
		Code: code, Input: changeKind(p), Path: c.Path, Identity: []string{string(c.Status)}, Contract: clause(p, c.Clause),
		Actual: fmt.Sprintf("%s (mode %s)", strings.ReplaceAll(string(c.Status), "_", " "), mode),
	}
}

// clause is the place in a contract that decides about a path; zero where the rule is built in.
func clause(p *check.Pass, c policy.Clause) check.Place {
	if p.Policy == nil || c.Source < 0 {
		return check.Place{}
	}
	return check.Place{Path: p.Policy.Sources[c.Source].Path, Pos: c.Pos}
}

// changeKind says which input lists the changes.
func changeKind(p *check.Pass) check.Kind {
	if p.State[check.Diff] == check.Usable {
		return check.Diff
	}
	return check.Changes
}

func classFinding(p *check.Pass, c *check.JudgedPath, off offScope) (f check.Finding, reported bool) {
	switch c.Class {
	case policy.ClassForbidden:
		f = fileFinding(p, "scope.forbidden", c)
		f.Message, f.Expected = "the contract forbids this file: it matches "+strconv.Quote(c.Because), "no change to files that match "+c.Because
		if f.Contract.Path == "" { // the rule is built in
			f.Message, f.Expected = "this file is forbidden: "+c.Because, "no change to this file"
		}
		f.Fix = "revert this file"
	case policy.ClassProtected:
		f = fileFinding(p, "scope.protected", c)
		if off.trial {
			f.Severity = input.Warn
		}
		f.Message, f.Expected = "this file is protected: "+c.Because, "no change to it by this task"
		f.Fix = "revert this file; a person may list the path under may_touch_protected in the contract"
		if policy.AddsTask(&change.Change{Path: policy.TasksDir + "/" + path.Base(c.Path), Status: c.Status, NewMode: c.NewMode}) && path.Dir(c.Path) == path.Dir(policy.StandingContract) {
			f.Fix = "revert this file; if it is a task contract, its place is " + input.QuotePath(policy.TasksDir+"/"+path.Base(c.Path))
		}
		if f.Contract.Path == "" {
			f.Contract = standing(p, "may_touch_protected")
		}
		if off.trial {
			f.Fix = trialFix
		}
		if e := c.Converts(); e != nil {
			f.Pos.Line = e.Line
		}
	case policy.ClassOffScope:
		f = fileFinding(p, "scope.off_scope", c)
		f.Severity = c.Severity
		f.Message = "this file is outside the scope of the task"
		f.Expected = "only files that every contract allows: " + off.allowed
		f.Fix = "revert this file; a person may extend allowed_files"
		if deep := off.deeper(c.Path); deep != "" {
			f.Fix = fmt.Sprintf("revert this file; allowed_files has %q, which covers only files at the root: a person may write %q", deep, "**/"+deep)
		}
		if c.Below != "" {
			f.Fix = fmt.Sprintf("revert this file; allowed_files has %q, which does not cover the files below it: a person may write %q", c.Below, c.Below+"/**")
		}
		budget := p.Policy.ViolationBudget
		if budget > 0 && c.Severity == input.Block {
			f.Message += fmt.Sprintf(" (%s, violation_budget %d)", input.Plural(off.count, "such file"), budget)
		}
		if c.Severity == input.Block && off.count <= budget {
			f.Severity = input.Warn // within the budget all that would block only warn; one more, and all block
		}
		if off.trial {
			f.Severity, f.Fix = input.Warn, trialFix
		}
	case policy.ClassEvidence:
		return committedFinding(p, c)
	case policy.ClassSoft:
		f = fileFinding(p, "scope.soft", c)
		f.Message, f.Expected, f.Fix = "a documentation file outside the scope of the task", "nothing: the contract tolerates it", "no action is needed"
	default:
		return f, false
	}
	if c.Class == policy.ClassProtected || c.Class == policy.ClassOffScope {
		off.except(p, &f)
	}
	return f, true
}

// committedFinding is about a file of the evidence directory, which no code tree contains. There is none where the contracts let
// changes bring evidence along and the file is evidence.
func committedFinding(p *check.Pass, c *check.JudgedPath) (f check.Finding, reported bool) {
	if c.Severity == "" {
		return f, false
	}
	f = fileFinding(p, "scope.evidence", c)
	f.Severity, f.Contract = c.Severity, standing(p, "evidence")
	switch {
	case c.Status == change.Deleted:
		f.Message, f.Expected, f.Fix = "the change deletes a file of the evidence directory", "nothing: it is not part of the code", "no action is needed"
	case !p.Policy.EvidenceCommitted:
		f.Message = "the change brings along a file of the evidence directory, which no code tree contains and no command may read"
		f.Expected = "evidence only from the job that records, in no commit"
		f.Fix = `leave this file out of the change; a person may set "evidence": {"committed": true} in the contract of the base branch`
	case changeKind(p) == check.Diff:
		f.Message = "whether this file is evidence cannot be determined from a diff"
		f.Expected, f.Fix = "changes.json, which the collector writes from two trees", "judge the commits (closeout verify --base), or leave this file out of the change"
	default:
		f.Message = "this file of the evidence directory is no evidence: it parses as no log and no report that the gate reads"
		f.Expected = "a feedback log, rule report, test report, coverage report, or another file of a bundle"
		f.Fix = "move data of the code out of " + input.QuotePath(p.Policy.EvidenceDir) + ", or leave this file out of the change"
	}
	return f, true
}

func reportEmptyDiff(p *check.Pass) {
	for _, c := range p.Changes {
		if c.Class != policy.ClassEvidence {
			return
		}
	}
	severity, message := input.Block, "the change touches nothing but evidence"
	fix := "commit the work on a branch of its own, or name the commit that it starts from with --base"
	if p.TriesContract() {
		severity, message = input.Info, "there is no change yet: this is a trial of the contract"
		fix = "commit the contract, merge it into the base branch, and then work on a branch"
	}
	p.Report(check.Finding{
		Code: "scope.empty_diff", Severity: severity, Message: message, Input: changeKind(p),
		Expected: "at least one changed file outside " + p.Policy.EvidenceDir,
		Actual:   input.Plural(int64(len(p.Changes)), "changed file"),
		Fix:      fix,
		Contract: standing(p, "evidence"),
	})
}

func reportUniversal(p *check.Pass) {
	for _, pattern := range p.Policy.Universal() {
		set, files := glob.Compile([]glob.Pattern{pattern.Glob}).Metered(p.Policy.Meter), int64(0)
		for _, c := range p.Changes {
			if p.Policy.Meter.Spent() {
				p.ReportLimit(input.TooManySteps(p.Policy.Meter.Most()))
				return
			}
			if set.Match(c.Path) {
				files++
			}
		}
		p.Report(inContract(&pattern.Source, pattern.Pos, check.Finding{
			Code: "scope.universal_glob", Message: fmt.Sprintf("the pattern %q allows almost every file", pattern.Value),
			Expected: "patterns that name the directories of the task", Actual: "it allows " + input.Plural(files, "file") + " of this change",
			Fix: "name the directories that the task needs", Identity: []string{pattern.Value},
			Contract: check.Place{Path: pattern.Source.Path, Pos: pattern.Pos},
		}))
	}
}
