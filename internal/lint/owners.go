package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// placesOfOwners are the places where GitHub looks for code owners; only the first file counts.
var placesOfOwners = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// owned are the directories that require an owner, each with a file that a change may add to it.
var owned = [][2]string{{"/.github/", ".github/workflows/zqxjvkwy.yml"}, {"/.closeout/", ".closeout/zqxjvkwy.json"}}

// owners reports contracts and workflows that no code owner must approve.
func (l *linter) owners() {
	place := placesOfOwners[0]
	var text []byte
	err := error(nil)
	for _, p := range placesOfOwners {
		if text, err = l.Read(p); !missing(err) {
			place = p
			break
		}
	}
	if err != nil && !missing(err) {
		l.notChecked(place, "the file cannot be read", "the owners of workflows and contracts")
		return
	}
	rules := parseOwners(string(text))
	for _, o := range owned {
		paths := []string{o[1]}
		if o[0] == "/.closeout/" && l.standing != nil && l.Contract == nil {
			paths = append(paths, l.standing.path)
		} else {
			for _, w := range l.readWorkflows() {
				if w.role&gates != 0 {
					paths = append(paths, w.path)
				}
			}
		}
		l.owner(place, o[0], paths, rules)
	}
}

func (l *linter) owner(place, dir string, paths []string, rules []ownerRule) {
	for _, p := range paths {
		f := &check.Finding{
			Code: "lint.owners", Path: place, Message: "no code owner must approve a change to " + dir, Expected: "an owner of " + dir, Actual: "none",
			Fix: "add the line \"" + dir + " @OWNER\" at the end of " + place + ", and require reviews of code owners", Identity: []string{dir},
		}
		last := lastOwner(rules, p)
		switch {
		case last == nil:
		case last.owned:
			continue
		default:
			shown := input.QuotePath(p)
			if strings.Contains(p, "zqxjvkwy") {
				shown = "a new file in " + dir
			}
			f.Pos = input.Pos{Line: last.line, Column: 1}
			f.Message = "this line is the last one that matches " + shown + ", and names no owner"
			f.Actual = "a line without an owner"
		}
		l.report(f)
		return
	}
}

// ownerRule is a line of a CODEOWNERS file.
type ownerRule struct {
	pattern  string
	anchored bool
	direct   bool // the pattern ends with /*, which matches nothing further down
	dir      bool // the pattern ends with a slash: it matches what is in the directory
	owned    bool // it names an owner
	line     int
}

// Limits of a CODEOWNERS file.
const (
	maxOwnerLines = 10_000
	maxOwnerLine  = 1000
)

// parseOwners reads a CODEOWNERS file. GitHub skips lines that it cannot read, among them those with ! and [.
func parseOwners(text string) []ownerRule {
	var rules []ownerRule
	line := 0
	for one := range strings.Lines(text) {
		line++
		one, _, _ = strings.Cut(one, " #")
		fields := strings.Fields(one)
		if len(fields) == 0 || strings.ContainsAny(fields[0][:1], "#!") || strings.Contains(fields[0], "[") || line > maxOwnerLines || len(fields[0]) > maxOwnerLine {
			continue
		}
		pattern, r := fields[0], ownerRule{line: line}
		valid := true
		for _, owner := range fields[1:] {
			if !strings.Contains(owner, "@") {
				valid = false
			}
			r.owned = true
		}
		pattern, r.dir = strings.CutSuffix(pattern, "/")
		r.anchored = strings.Contains(pattern, "/")
		if pattern = strings.TrimPrefix(pattern, "/"); pattern == "" || !valid {
			continue
		}
		r.direct = r.anchored && (pattern == "*" || strings.HasSuffix(pattern, "/*"))
		r.pattern = strings.ReplaceAll(pattern, "{", `\{`) // braces are no alternatives there
		rules = append(rules, r)
	}
	return rules
}

// lastOwner is the last rule that matches a file; nil when none does.
func lastOwner(rules []ownerRule, path string) *ownerRule {
	names := strings.Split(path, "/")
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].matches(names) {
			return &rules[i]
		}
	}
	return nil
}

// matches reports whether a rule matches a file: by its whole path, or by a directory above it. Only a pattern that ends with
// /* matches nothing further down.
func (r *ownerRule) matches(names []string) bool {
	for end := len(names); end > 0; end-- {
		if whole := end == len(names); (whole && r.dir) || (!whole && r.direct && !r.dir) {
			continue
		}
		name := names[end-1]
		if r.anchored {
			name = strings.Join(names[:end], "/")
		}
		if match, err := doublestar.Match(r.pattern, name); match && err == nil {
			return true
		}
	}
	return false
}

// weak reports settings of a contract that make it easier to go round the gate.
func (l *linter) weak(s *source) {
	c := s.contract
	add := func(key string, pos input.Pos, message, expected, actual, fix string) {
		f := &check.Finding{Code: "lint.weak", Message: message, Path: s.path, Pos: pos, Expected: expected, Actual: actual, Fix: fix, Identity: []string{key}}
		if pos.IsZero() { // that a contract lacks a setting is only information
			f.Severity = input.Info
		}
		l.report(f)
	}
	if c.Evidence.Min == input.Claimed {
		add("evidence.min", c.Keys["evidence"], "evidence.min accepts records that are not bound to the code", "bound or recorded", "claimed", `write "min": "recorded", or "bound" with one job`)
	}
	if c.OffScope == input.Warn {
		add("off_scope", c.Keys["off_scope"], "off_scope lets a change touch files that no contract allows", "block", "warn", `remove "off_scope"`)
	}
	for _, one := range c.Criteria {
		if one.MinEvidence == input.Claimed {
			add("min_evidence of "+one.ID, one.Pos, "the criterion "+one.ID+" accepts records that are not bound to the code", "bound or recorded", "claimed", `remove "min_evidence", or write "recorded"`)
		}
	}
	override, given := c.Keys["override"]
	if !given {
		if !s.task && !l.rollout {
			add("override", input.Pos{}, "every finding can be overridden, because the contract has no override.never", "codes that no person can override", "none", neverFix)
		}
		return
	}
	if c.Override.Binding == "event" {
		add("override.binding", override, "override.binding accepts an override that names no code: it is not bound to these findings", "code", "event", `remove "binding": "event"`)
	}
	if c.Override.AllowAuthor && !c.Override.Self {
		add("override.allow_author", override, "override.allow_author lets the author of a change override its findings", "false", "true", `remove "allow_author"`)
	}
	if c.Override.Permission == "write" {
		add("override.permission", override, "override.permission lets everyone with write access override, which includes most agents", "maintain or admin", "write", `write "permission": "maintain"`)
	}
	if len(c.Override.Never) == 0 {
		add("override.never", override, "override.never is empty: every finding can be overridden", "codes that no person can override", "none", neverFix)
	}
}

// diffRules reports ids of diff rules that no rule has: what they say about a rule has no effect.
func (l *linter) diffRules(s *source) {
	ids := s.contract.DiffRuleIDs()
	for _, ignore := range s.contract.Rules.Ignore {
		if contract.IsDiffRule(ignore.ID.Value) {
			ids = append(ids, ignore.ID)
		}
	}
	for _, id := range ids {
		if l.DiffRules == nil || slices.Contains(l.DiffRules, id.Value) {
			continue
		}
		f := &check.Finding{
			Code: "lint.unknown_rule", Message: "no diff rule has the id " + input.Quote(id.Value), Path: s.path, Pos: id.Pos,
			Expected: "the id of a diff rule", Actual: id.Value, Fix: "closeout diff --list prints the ids", Identity: []string{id.Value},
		}
		now, former := contract.FormerRule(id.Value)
		if now != "" {
			f.Message, f.Fix = "the diff rule "+input.Quote(id.Value)+" is a part of another one now: its id counts in this version only", "write "+input.Quote(now)
		} else if former {
			f.Message, f.Fix = "the diff rule "+input.Quote(id.Value)+" is gone: its id has no effect", "remove it; docs/reference/upgrading-0.2.md says what to use instead"
		} else if near := input.Nearest(id.Value, l.DiffRules); near != "" {
			f.Fix = "write " + input.Quote(near)
		}
		l.report(f)
	}
}

// How long an exception may last, and how many days before its end it is named.
const (
	maxException = 180
	endsSoon     = 14
)

// exceptions reports those that do not end, that last too long, and that end soon.
func (l *linter) exceptions(s *source) {
	for _, e := range s.contract.Rules.Ignore {
		f := &check.Finding{
			Code: "lint.exception", Path: s.path, Pos: e.ID.Pos, Expected: fmt.Sprintf("an exception that ends within %d days", maxException),
			Actual: "until " + e.Until, Identity: []string{e.ID.Value, e.Reason, e.Until},
		}
		name := "the exception from the rule " + input.Quote(e.ID.Value)
		left := 0
		if l.Today != "" && e.Until != "" {
			left = input.DayNumber(e.Until) - input.DayNumber(l.Today)
		}
		switch {
		case e.Until == "":
			f.Message, f.Actual, f.Fix = name+" does not end, and does not count", `no "until"`, `add "until" with its last day`
		case l.Today == "" || (left <= maxException && left > endsSoon):
			continue
		case left > maxException:
			f.Message = fmt.Sprintf("%s ends in %d days: version 0.3.0 does not count it", name, left)
			f.Fix = fmt.Sprintf("write a day within %d days, and renew it if it is still needed", maxException)
		case left < 0:
			f.Message, f.Fix = name+" has ended and does not count", "remove it"
		default:
			f.Severity, f.Message = input.Info, fmt.Sprintf("%s ends in %d days", name, left)
			f.Fix = "fix what the rule finds, or let a person renew the exception"
		}
		l.report(f)
	}
}

const neverFix = `add "override": {"never": ["contract.changed", "evidence.digest_mismatch"]}, or the codes that matter to you`
