package feedback

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// FuzzReadLog compares the reader with a plain one that is built on jsontext alone and knows the rules in another way:
// both must accept the same lines and read the same records, and the errors must lie inside the log.
func FuzzReadLog(f *testing.F) {
	for _, c := range goodLines {
		f.Add([]byte(c.line + "\n" + rec(``)))
	}
	for _, c := range badLines {
		f.Add([]byte(c.line))
	}
	for _, c := range brokenLines {
		if len(c.line) < 1000 {
			f.Add([]byte(rec(``) + "\r\n" + c.line + "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		limits := input.DefaultLimits()
		limits.RecordBytes, limits.Depth = 4096, 5
		records, lines, errs := readLog(bytes.NewReader(log), limits)
		for i := range records {
			if got, plain := string(records[i].AppendOutput(nil)), plainOutput(records[i].Line); got != plain {
				t.Errorf("output %q, want %q", got, plain)
			}
			records[i].outputs = [5]span{}
		}

		var want []Record
		var wantLines int64
		wrong := map[int]bool{}
		split := bytes.Split(log, []byte("\n"))
		for i, line := range split {
			line = bytes.TrimSuffix(line, []byte("\r"))
			if len(bytes.Trim(line, " \t\r")) == 0 && len(line) <= 4096 {
				continue
			}
			wantLines++
			r, ok := plainRecord(line, 5)
			if !ok || len(line) > 4096 {
				wrong[i+1] = true
				continue
			}
			r.Pos.Line, r.Pos.Column = i+1, 1+len(line)-len(bytes.TrimLeft(line, " \t\r"))
			want = append(want, r)
		}
		if lines != wantLines || !reflect.DeepEqual(records, want) {
			t.Fatalf("%d lines, records %+v\nwant %d, %+v\nerrors %v", lines, records, wantLines, want, errs)
		}
		found := map[int]bool{}
		for _, e := range errs {
			if e.Times > 0 {
				continue
			}
			if !wrong[e.Pos.Line] || e.Pos.Column < 1 || e.Pos.Column > len(split[e.Pos.Line-1])+1 {
				t.Errorf("an error at %v: %+v", e.Pos, e)
			}
			if e.Message == "" || e.Found == "" || e.Expected == "" || e.Fix == "" {
				t.Errorf("not complete: %+v", e)
			}
			found[e.Pos.Line] = true
		}
		if len(found) != len(wrong) && len(errs) <= input.MaxErrors {
			t.Errorf("lines %v are wrong, errors are in lines %v", wrong, found)
		}

		slow, _, slowErrs := readLog(iotest.OneByteReader(bytes.NewReader(log)), limits)
		for i := range slow {
			slow[i].outputs = [5]span{}
		}
		if !reflect.DeepEqual(slow, records) || !reflect.DeepEqual(slowErrs, errs) {
			t.Errorf("read byte by byte: %+v, %v\nat once: %+v, %v", slow, slowErrs, records, errs)
		}
	})
}

// plainOutput is what AppendOutput must give for a valid line.
func plainOutput(line []byte) string {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		panic(err)
	}
	text := ""
	for _, key := range []string{"stdout", "stderr", "stdout_tail", "stderr_tail"} {
		var s *string
		if value := values[key]; value != nil && json.Unmarshal(value, &s) == nil && s != nil {
			text += *s + "\n"
		}
	}
	return text
}

// plainCut reports whether a valid value of truncations has a number above 0.
func plainCut(value jsontext.Value) bool {
	return regexp.MustCompile(`(?:^|[:\s])[1-9]`).Match(regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAll(value, nil))
}

// plainRecord reads a line the slow and simple way.
func plainRecord(line []byte, depth int) (Record, bool) {
	var values map[string]jsontext.Value
	if jsontext.Value(line).Kind() != '{' || jsonv2.Unmarshal(line, &values) != nil || nesting(line) > depth {
		return Record{}, false
	}
	for key, value := range values {
		rule, known := plainRules[key]
		if !known && !strings.HasPrefix(key, "x-") || known && !rule(value) {
			return Record{}, false
		}
	}
	if values["command"] == nil || values["exit_code"] == nil {
		return Record{}, false
	}
	// encoding/json never sees a line that it would read otherwise: duplicates and bad UTF-8 are refused by now.
	var r struct {
		Command         json.RawMessage
		ExitCode        *int64 `json:"exit_code"`
		Seq             *json.Number
		CommandID       string `json:"command_id"`
		ParentCommandID string `json:"parent_command_id"`
		TaskID          string `json:"task_id"`
		TreeBefore      string `json:"tree_before"`
		TreeAfter       string `json:"tree_after"`
		Cwd             string
		DurationMS      json.Number `json:"duration_ms"`
		NetworkHosts    []string    `json:"network_hosts"`
		Produced        []Produced
		Root            string
		NotStarted      bool `json:"not_started"`
	}
	exact := map[string]jsontext.Value{}
	for key, value := range values {
		if _, known := plainRules[key]; known {
			exact[key] = value
		}
	}
	text, err := jsonv2.Marshal(exact)
	if err != nil {
		return Record{}, false
	}
	if err := json.Unmarshal(text, &r); err != nil {
		panic(err)
	}
	out := Record{
		Line: line, Exit: r.ExitCode, ID: r.CommandID, Parent: r.ParentCommandID, TaskID: r.TaskID,
		TreeBefore: r.TreeBefore, TreeAfter: r.TreeAfter, Hosts: r.NetworkHosts, HostsGiven: r.NetworkHosts != nil, Produced: r.Produced,
		Root: r.Root, NotStarted: r.NotStarted,
		Cut: plainCut(values["truncations"]),
	}
	if len(r.NetworkHosts) == 0 {
		out.Hosts = nil
	}
	if len(r.Produced) == 0 {
		out.Produced = nil
	}
	if json.Unmarshal(r.Command, &out.Argv) != nil {
		var command string
		if err := json.Unmarshal(r.Command, &command); err != nil {
			panic(err)
		}
		argv, err := contract.SplitCommand(command)
		if out.Argv = argv; err != nil {
			out.Shell = command
		}
	}
	if r.Seq != nil {
		seq := saturated(string(*r.Seq))
		out.Seq = &seq
	}
	if r.DurationMS != "" {
		out.DurationMS = saturated(string(r.DurationMS))
	}
	out.Cwd, _ = contract.NormalCwd(r.Cwd)
	return out, true
}

func saturated(text string) int64 {
	i, _ := new(big.Int).SetString(text, 10)
	if !i.IsInt64() {
		return 1<<63 - 1
	}
	return i.Int64()
}

// nesting is how deep the values of a valid JSON text nest.
func nesting(text []byte) int {
	deepest := 0
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, dec.StackDepth())
	}
}

// plainRules are the rules of the keys over the text of their values, as JSON writes it.
var plainRules = map[string]func(jsontext.Value) bool{
	"command": func(v jsontext.Value) bool {
		var list []*string
		return v.Kind() == '"' || jsonv2.Unmarshal(v, &list) == nil && v.Kind() == '[' && len(list) > 0 && !slices.Contains(list, nil) && *list[0] != ""
	},
	"exit_code":         func(v jsontext.Value) bool { return isNull(v) || isInteger(v, -1<<31, 1<<31-1) },
	"stdout":            isText,
	"stderr":            isText,
	"stdout_tail":       isText,
	"stderr_tail":       isText,
	"duration_ms":       func(v jsontext.Value) bool { return isNull(v) || isInteger(v, 0, 0) },
	"started_at":        func(v jsontext.Value) bool { return isText(v) || v.Kind() == '0' },
	"cwd":               isText,
	"agent_note":        isText,
	"error":             isText,
	"command_id":        isName,
	"parent_command_id": isName,
	"truncations":       isCounts,
	"redactions":        isCounts,
	"seq":               func(v jsontext.Value) bool { return isInteger(v, 0, 0) },
	"task_id":           isText,
	"criterion":         isText,
	"head_sha":          isTree,
	"tree_before":       isTree,
	"tree_after":        isTree,
	"stdout_sha256":     isDigest,
	"stderr_sha256":     isDigest,
	"produced":          isProduced,
	"root":              isText,
	"not_started":       func(v jsontext.Value) bool { return isNull(v) || v.Kind() == 't' || v.Kind() == 'f' },
	"runner":            isText,
	"run_id":            func(v jsontext.Value) bool { return isText(v) || isInteger(v, 0, -1) },
	"run_attempt":       func(v jsontext.Value) bool { return isNull(v) || isInteger(v, 1, 0) },
	"network_hosts": func(v jsontext.Value) bool {
		var hosts []*string
		return isNull(v) || jsonv2.Unmarshal(v, &hosts) == nil &&
			!slices.ContainsFunc(hosts, func(h *string) bool { return h == nil || strings.TrimSpace(*h) == "" })
	},
}

func isNull(v jsontext.Value) bool { return v.Kind() == 'n' }

func isText(v jsontext.Value) bool { return isNull(v) || v.Kind() == '"' }

func isName(v jsontext.Value) bool { return isText(v) && string(v) != `""` }

// isInteger reports whether v is written as an integer from low to high. With high 0 there is no greatest, with -1 no
// least one either.
func isInteger(v jsontext.Value, low, high int64) bool {
	i, err := new(big.Int).SetString(string(v), 10)
	if !err || v.Kind() != '0' || string(v) == "-0" {
		return false
	}
	return high == -1 || i.Cmp(big.NewInt(low)) >= 0 && (high == 0 || i.Cmp(big.NewInt(high)) <= 0)
}

func isCounts(v jsontext.Value) bool {
	if v.Kind() != '{' {
		return isNull(v) || isInteger(v, 0, -1)
	}
	var counts map[string]jsontext.Value
	if jsonv2.Unmarshal(v, &counts) != nil {
		return false
	}
	for _, count := range counts {
		if !isInteger(count, 0, -1) {
			return false
		}
	}
	return true
}

var (
	treeSyntax   = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	digestSyntax = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func isTree(v jsontext.Value) bool { return isNull(v) || textMatches(v, treeSyntax) }

func isDigest(v jsontext.Value) bool { return isNull(v) || textMatches(v, digestSyntax) }

func textMatches(v jsontext.Value, syntax *regexp.Regexp) bool {
	var text string
	return v.Kind() == '"' && jsonv2.Unmarshal(v, &text) == nil && syntax.MatchString(text)
}

func isProduced(v jsontext.Value) bool {
	var files []map[string]jsontext.Value
	if isNull(v) {
		return true
	}
	if jsonv2.Unmarshal(v, &files) != nil {
		return false
	}
	for _, file := range files {
		for key, value := range file {
			known := key == "path" && value.Kind() == '"' && isName(value) || key == "sha256" && textMatches(value, digestSyntax)
			if !known && !strings.HasPrefix(key, "x-") {
				return false
			}
		}
		if file["path"] == nil || file["sha256"] == nil {
			return false
		}
	}
	return true
}
