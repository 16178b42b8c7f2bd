package feedback

import (
	"math"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// logField is a key of a record, and the rule for its value.
type logField struct {
	name string
	rule logRule
	keep func(*Record) *string // where to store its text; nil when it is not needed
	note func(*Record) *span   // where to store its position; nil when it is not needed
}

// logRule says what the value of a key must be.
type logRule int

const (
	ruleText     logRule = iota // a string
	ruleName                    // a string that is not empty
	ruleObjectID                // the id of a git object
	ruleDigest                  // a sha256
	ruleCommand
	ruleExit
	ruleDuration
	ruleMoment
	ruleCounts      // an integer, or an object of them
	ruleTruncations // the same; more than 0 means that output was cut
	ruleSeq
	ruleRunID
	ruleAttempt
	ruleProduced
	ruleHosts
	rulePaths
	ruleFlag
)

// logFields are the keys of a record. The first ones are those of the original format, the others are those that the
// recorder adds.
var logFields = []logField{
	{name: "command", rule: ruleCommand},
	{name: "exit_code", rule: ruleExit},
	{name: "stdout", note: func(r *Record) *span { return &r.outputs[0] }},
	{name: "stderr", note: func(r *Record) *span { return &r.outputs[1] }},
	{name: "stdout_tail", note: func(r *Record) *span { return &r.outputs[2] }},
	{name: "stderr_tail", note: func(r *Record) *span { return &r.outputs[3] }},
	{name: "duration_ms", rule: ruleDuration},
	{name: "started_at", rule: ruleMoment},
	{name: "cwd", keep: func(r *Record) *string { return &r.Cwd }},
	{name: "agent_note"}, {name: "error", note: func(r *Record) *span { return &r.outputs[4] }},
	{name: "command_id", rule: ruleName, keep: func(r *Record) *string { return &r.ID }},
	{name: "parent_command_id", rule: ruleName, keep: func(r *Record) *string { return &r.Parent }},
	{name: "truncations", rule: ruleTruncations}, {name: "redactions", rule: ruleCounts},

	{name: "seq", rule: ruleSeq},
	{name: "task_id", keep: func(r *Record) *string { return &r.TaskID }},
	{name: "criterion"},
	{name: "head_sha", rule: ruleObjectID},
	{name: "tree_before", rule: ruleObjectID, keep: func(r *Record) *string { return &r.TreeBefore }},
	{name: "tree_after", rule: ruleObjectID, keep: func(r *Record) *string { return &r.TreeAfter }},
	{name: "stdout_sha256", rule: ruleDigest}, {name: "stderr_sha256", rule: ruleDigest},
	{name: "produced", rule: ruleProduced}, {name: "root", keep: func(r *Record) *string { return &r.Root }},
	{name: "runner"},
	{name: "run_id", rule: ruleRunID}, {name: "run_attempt", rule: ruleAttempt},
	{name: "network_hosts", rule: ruleHosts},
	{name: "changed_paths", rule: rulePaths},
	{name: "other_bytes", rule: ruleName, keep: func(r *Record) *string { return &r.OtherBytes }},
	{name: "not_started", rule: ruleFlag},
	{name: "tampered", rule: ruleName, keep: func(r *Record) *string { return &r.Tampered }},
}

var logFieldNames, logFieldIndex = indexLogFields()

func indexLogFields() (names []string, index map[string]int) {
	index = map[string]int{}
	for i, f := range logFields {
		names = append(names, f.name)
		index[f.name] = i
	}
	return names, index
}

var producedFields = []string{"path", "sha256"}

// expected describes the value in messages.
func (r logRule) expected() string {
	switch r {
	case ruleText:
		return "a string or null"
	case ruleName:
		return "a string that is not empty, or null"
	case ruleObjectID:
		return "a git object id (40 or 64 lower-case hexadecimal digits) or null"
	case ruleDigest:
		return "a sha256 (64 lower-case hexadecimal digits) or null"
	case ruleCommand:
		return "a list of strings, the first not empty, or a string"
	case ruleExit:
		return "an integer from -2147483648 to 2147483647, or null"
	case ruleDuration:
		return "an integer of at least 0, or null"
	case ruleMoment:
		return "a string, a number or null"
	case ruleCounts, ruleTruncations:
		return "an integer, an object of integers, or null"
	case ruleSeq:
		return "an integer of at least 0"
	case ruleRunID:
		return "a string, an integer or null"
	case ruleAttempt:
		return "an integer of at least 1, or null"
	case ruleProduced:
		return "a list of objects with path and sha256, or null"
	case ruleFlag:
		return "true, false or null"
	case rulePaths:
		return "a list of strings that are not empty, or null"
	default:
		return "a list of strings that are not blank, or null"
	}
}

// field reads the value of a known key.
func (p *logParser) field(f *logField) bool {
	next := p.peek()
	switch {
	case f.rule == ruleCommand && next == '[':
		return p.argv()
	case (f.rule == ruleCounts || f.rule == ruleTruncations) && next == '{':
		return p.counts(f.rule)
	case f.rule == ruleProduced && next == '[':
		return p.produced()
	case f.rule == ruleHosts && next == '[':
		return p.hosts()
	case f.rule == rulePaths && next == '[':
		return p.paths()
	}
	v, ok := p.value(2)
	if ok && !p.set(f, v) {
		p.wrong(v, "/"+f.name, f.rule.expected())
	}
	return ok
}

// set stores the value of a key; false when it does not match its rule.
func (p *logParser) set(f *logField, v scalar) bool {
	if v.kind == input.KindNull {
		return f.rule != ruleCommand && f.rule != ruleSeq
	}
	switch f.rule {
	case ruleCommand:
		return p.commandLine(v)
	case ruleMoment:
		return v.kind == input.KindString || v.kind == input.KindNumber
	case ruleExit, ruleDuration, ruleCounts, ruleTruncations, ruleSeq, ruleAttempt:
		return p.setInteger(f.rule, v)
	case ruleRunID:
		return v.kind == input.KindString || p.setInteger(f.rule, v)
	case ruleFlag:
		p.rec.NotStarted = v.kind == input.KindBool && p.rec.Line[v.at] == 't'
		return v.kind == input.KindBool
	}
	if v.kind != input.KindString {
		return false
	}
	if f.note != nil {
		*f.note(&p.rec) = v.span
	}
	if f.keep == nil && f.rule == ruleText {
		return true
	}
	text := p.bytes(v)
	if !f.rule.matches(text) {
		return false
	}
	if f.keep != nil {
		*f.keep(&p.rec) = string(text)
	}
	return true
}

// matches reports whether a string matches a rule about strings.
func (r logRule) matches(text []byte) bool {
	switch r {
	case ruleText:
		return true
	case ruleName:
		return len(text) > 0
	case ruleObjectID:
		return input.IsLowerHex(text, 40, 64)
	case ruleDigest:
		return input.IsLowerHex(text, 64)
	}
	return false
}

func (p *logParser) setInteger(rule logRule, v scalar) bool {
	low, high := int64(math.MinInt64), int64(math.MaxInt64) // math.MaxInt64 means that there is no maximum
	switch rule {
	case ruleExit:
		low, high = math.MinInt32, math.MaxInt32
	case ruleDuration, ruleSeq:
		low = 0
	case ruleAttempt:
		low = 1
	}
	i, ok := p.integer(v, low, high)
	switch {
	case !ok:
		return false
	case rule == ruleExit:
		p.rec.Exit = &i
	case rule == ruleSeq:
		p.rec.Seq = &i
	case rule == ruleDuration:
		p.rec.DurationMS = i
	case rule == ruleTruncations && i > 0:
		p.rec.Cut = true
	}
	return true
}

// commandLine stores a command that is a string. One that does not split has no argv, and matches nothing.
func (p *logParser) commandLine(v scalar) bool {
	if v.kind != input.KindString {
		return false
	}
	p.command = string(p.bytes(v))
	argv, err := contract.SplitCommand(p.command)
	if err != nil {
		p.rec.Shell = p.command
		return true
	}
	p.rec.Argv = argv
	return true
}

// argv reads a command that is a list.
func (p *logParser) argv() bool {
	list := scalar{span: span{at: p.at}, kind: input.KindList}
	items, argv := 0, make([]string, 0, 8)
	ok := p.list(2, func(i int) bool {
		items++
		v, ok := p.value(3)
		switch {
		case !ok:
			return false
		case v.kind != input.KindString:
			p.wrong(v, "/command/"+strconv.Itoa(i), "a string")
		case i == 0 && v.end == v.at+len(`""`):
			p.wrong(v, "/command/0", "the name of a program")
		default:
			argv = append(argv, string(p.bytes(v)))
		}
		return true
	})
	if ok && items == 0 {
		p.wrong(list, "/command", ruleCommand.expected())
	}
	p.rec.Argv = argv
	return ok
}

func (p *logParser) counts(rule logRule) bool {
	return p.object(2, func(key scalar) bool {
		p.note(key.span)
		v, ok := p.value(3)
		if ok && !p.setInteger(rule, v) {
			p.wrong(v, p.pointer(p.pointer("", p.top), key.span), "an integer")
		}
		return ok
	})
}

func (p *logParser) hosts() bool {
	p.rec.HostsGiven = true
	return p.list(2, func(i int) bool {
		v, ok := p.value(3)
		if !ok {
			return false
		}
		host := ""
		if v.kind == input.KindString {
			host = string(p.bytes(v))
		}
		if strings.TrimSpace(host) == "" {
			p.wrong(v, "/network_hosts/"+strconv.Itoa(i), "a string that is not blank")
			return true
		}
		p.rec.Hosts = append(p.rec.Hosts, host)
		return true
	})
}

func (p *logParser) paths() bool {
	return p.list(2, func(i int) bool {
		v, ok := p.value(3)
		if !ok {
			return false
		}
		path := p.textThat(v, ruleName, "/changed_paths/"+strconv.Itoa(i), "a string that is not empty")
		if path != "" && len(p.rec.ChangedPaths) < MaxChangedPaths {
			p.rec.ChangedPaths = append(p.rec.ChangedPaths, input.CutTo(path, maxChangedPath))
		}
		return true
	})
}

func (p *logParser) produced() bool {
	return p.list(2, func(i int) bool {
		where := "/produced/" + strconv.Itoa(i)
		if p.peek() == '{' {
			return p.producedFile(where)
		}
		v, ok := p.value(3)
		if ok {
			p.wrong(v, where, "an object with path and sha256")
		}
		return ok
	})
}

// producedFile reads one item of produced.
func (p *logParser) producedFile(where string) bool {
	start := p.at
	var file Produced
	var hasPath, hasDigest bool
	ok := p.object(3, func(key scalar) bool {
		p.note(key.span)
		v, ok := p.value(4)
		if !ok {
			return false
		}
		switch name := string(p.name(key.span)); {
		case name == "path":
			hasPath = true
			file.Path = p.textThat(v, ruleName, where+"/path", "a path")
		case name == "sha256":
			hasDigest = true
			file.SHA256 = p.textThat(v, ruleDigest, where+"/sha256", "a sha256 (64 lower-case hexadecimal digits)")
		case !strings.HasPrefix(name, "x-"):
			p.unknown(key, where, producedFields)
		}
		return true
	})
	if ok && !hasPath {
		p.missing(start, where, "path")
	}
	if ok && !hasDigest {
		p.missing(start, where, "sha256")
	}
	p.rec.Produced = append(p.rec.Produced, file)
	return ok
}

// textThat returns the text of v; if v is not a string or does not match the rule, it reports that and returns "".
func (p *logParser) textThat(v scalar, rule logRule, where, expected string) string {
	if v.kind == input.KindString {
		if text := p.bytes(v); rule.matches(text) {
			return string(text)
		}
	}
	p.wrong(v, where, expected)
	return ""
}
