package feedback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

const (
	logTree   = "0123456789abcdef0123456789abcdef01234567"
	logDigest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
)

// readLog reads a log and keeps a copy of each record.
func readLog(r io.Reader, limits input.Limits) (records []Record, lines int64, errs []input.Error) {
	lines, list := ReadLog(r, limits, func(rec *Record) {
		kept := *rec
		kept.Line = bytes.Clone(rec.Line)
		records = append(records, kept)
	})
	return records, lines, list.All()
}

// rec is a record with the two keys that every record needs, and more.
func rec(more string) string { return `{"command":["go","test"],"exit_code":0` + more + `}` }

// goodLines are valid. Each line is followed by the record, in the words of showRecord.
var goodLines = []struct{ name, line, want string }{
	{"least", rec(``), `go|test cwd=. exit=0`},
	{"white space", "\t { \"command\" : [ \"go\" , \"test\" ] \r, \"exit_code\" : 0 } \t", `go|test cwd=. exit=0`},
	{"exit null", `{"command":["x"],"exit_code":null}`, `x cwd=.`},
	{"exit least", `{"command":["x"],"exit_code":-2147483648}`, `x cwd=. exit=-2147483648`},
	{"exit greatest", `{"command":["x"],"exit_code":2147483647}`, `x cwd=. exit=2147483647`},
	{"exit last", `{"exit_code":3,"command":["x"]}`, `x cwd=. exit=3`},
	{"escaped key", `{"command":["x"],"\u0065xit_code":4}`, `x cwd=. exit=4`},
	{"argv kept as it is", `{"command":["go","","a b","é\n\"\u00e9\ud83d\ude00","\\"],"exit_code":0}`, "go||a b|é\n\"é😀|\\ cwd=. exit=0"},
	{"command string", `{"command":"go test './a b'","exit_code":0}`, `go|test|./a b cwd=. exit=0`},
	{"command string escaped", `{"command":"go\ttest \"a b\"","exit_code":0}`, `go|test|a b cwd=. exit=0`},
	{"command string that needs a shell", `{"command":"a | b","exit_code":0}`, `no argv cwd=. exit=0`},
	{"command string empty", `{"command":"","exit_code":0}`, `no argv cwd=. exit=0`},
	{"all null", rec(`,"stdout":null,"stderr":null,"stdout_tail":null,"stderr_tail":null,"duration_ms":null,"started_at":null,"cwd":null,"agent_note":null,"error":null,"command_id":null,"parent_command_id":null,"truncations":null,"redactions":null,"task_id":null,"criterion":null,"head_sha":null,"tree_before":null,"tree_after":null,"stdout_sha256":null,"stderr_sha256":null,"produced":null,"root":null,"not_started":null,"runner":null,"run_id":null,"run_attempt":null,"network_hosts":null`), `go|test cwd=. exit=0`},
	{"texts", rec(`,"stdout":"a\u0000\u001b[0m\ud83d\ude00\/\b\f","stderr":"","stdout_tail":"é","stderr_tail":"` + strings.Repeat("long é ", 50) + `","agent_note":"","error":"x","criterion":"c1","runner":"ubuntu"`), `go|test cwd=. exit=0`},
	{"ids", rec(`,"seq":7,"command_id":"a","parent_command_id":"\u0062","task_id":"T-1"`), `go|test cwd=. exit=0 seq=7 id=a parent=b task=T-1`},
	{"seq 0", rec(`,"seq":0`), `go|test cwd=. exit=0 seq=0`},
	{"trees", rec(`,"head_sha":"` + logTree + `","tree_before":"` + logTree + `","tree_after":"` + logDigest + `"`), `go|test cwd=. exit=0 before=` + logTree + ` after=` + logDigest},
	{"digests", rec(`,"stdout_sha256":"` + logDigest + `","stderr_sha256":"` + logDigest + `"`), `go|test cwd=. exit=0`},
	{"duration", rec(`,"duration_ms":12`), `go|test cwd=. exit=0 ms=12`},
	{"duration saturates", rec(`,"duration_ms":99999999999999999999999`), fmt.Sprintf(`go|test cwd=. exit=0 ms=%d`, math.MaxInt64)},
	{"started at a fraction", rec(`,"started_at":1795218551.919997e-0`), `go|test cwd=. exit=0`},
	{"started at a text", rec(`,"started_at":"2026-01-01T00:00:00Z"`), `go|test cwd=. exit=0`},
	{"numbers of every kind", rec(`,"x-n":[0,-0,1.5,-1e3,1E+2,0.1e-1,1e999]`), `go|test cwd=. exit=0`},
	{"cwd", rec(`,"cwd":"./web//app/"`), `go|test cwd=web/app exit=0`},
	{"cwd empty", rec(`,"cwd":""`), `go|test cwd=. exit=0`},
	{"cwd absolute", rec(`,"cwd":"/src"`), `go|test cwd= exit=0`},
	{"cwd outside", rec(`,"cwd":"a/../b"`), `go|test cwd= exit=0`},
	{"cwd with dots in a name", rec(`,"cwd":"a..b/..."`), `go|test cwd=a..b/... exit=0`},
	{"cwd with backslashes", rec(`,"cwd":"..\\web"`), `go|test cwd=..\web exit=0`},
	{"counts", rec(`,"truncations":{"stdout":3,"stderr":-1},"redactions":2`), `go|test cwd=. exit=0 cut=true`},
	{"one count", rec(`,"truncations":1`), `go|test cwd=. exit=0 cut=true`},
	{"nothing was cut", rec(`,"truncations":{"stdout":0,"stderr":0},"redactions":{"stdout":3}`), `go|test cwd=. exit=0`},
	{"counts empty", rec(`,"truncations":{},"redactions":{ }`), `go|test cwd=. exit=0`},
	{"run", rec(`,"run_id":12345678901234567890,"run_attempt":1`), `go|test cwd=. exit=0`},
	{"run id as a text", rec(`,"run_id":"12"`), `go|test cwd=. exit=0`},
	{"hosts", rec(`,"network_hosts":["a.example","b"]`), `go|test cwd=. exit=0 hosts=a.example|b`},
	{"hosts empty", rec(`,"network_hosts":[]`), `go|test cwd=. exit=0 hosts=`},
	{"produced", rec(`,"produced":[{"path":"r.json","sha256":"` + logDigest + `"},{"sha256":"` + logDigest + `","path":"é","x-note":1}]`), `go|test cwd=. exit=0 produced=r.json@` + logDigest + ` produced=é@` + logDigest},
	{"produced empty", rec(`,"produced":[]`), `go|test cwd=. exit=0`},
	{"own keys", rec(`,"x-a":{"exit_code":1,"b":[{"c":true},[false,null,[]],{}]},"x-":"","x-exit_code":false`), `go|test cwd=. exit=0`},
	{"the same key in different objects", rec(`,"x-a":{"k":{"k":1},"l":{"k":2}},"x-b":{"k":1}`), `go|test cwd=. exit=0`},
	{"keys that differ in case", rec(`,"x-a":{"k":1,"K":2},"x-A":1`), `go|test cwd=. exit=0`},
	{"braces in texts", rec(`,"stdout":"}\n{\"exit_code\":1}"`), `go|test cwd=. exit=0`},
	{"mark inside a text", rec(`,"stdout":"` + "\ufeff" + `"`), `go|test cwd=. exit=0`},
	{"nesting at the limit", rec(`,"x-a":` + strings.Repeat("[", 99) + strings.Repeat("]", 99)), `go|test cwd=. exit=0`},
}

func showRecord(r Record) string {
	text := "no argv"
	if r.Argv != nil {
		text = strings.Join(r.Argv, "|")
	}
	text += " cwd=" + r.Cwd
	for _, part := range []struct {
		name  string
		value any
		shown bool
	}{
		{"exit", deref(r.Exit), r.Exit != nil},
		{"seq", deref(r.Seq), r.Seq != nil},
		{"id", r.ID, r.ID != ""},
		{"parent", r.Parent, r.Parent != ""},
		{"task", r.TaskID, r.TaskID != ""},
		{"before", r.TreeBefore, r.TreeBefore != ""},
		{"after", r.TreeAfter, r.TreeAfter != ""},
		{"ms", r.DurationMS, r.DurationMS != 0},
		{"hosts", strings.Join(r.Hosts, "|"), r.HostsGiven},
		{"cut", r.Cut, r.Cut},
	} {
		if part.shown {
			text += fmt.Sprintf(" %s=%v", part.name, part.value)
		}
	}
	for _, p := range r.Produced {
		text += " produced=" + p.Path + "@" + p.SHA256
	}
	return text
}

// TestAppendOutput: the four texts have a fixed order, whatever their order in the line.
func TestAppendOutput(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{rec(``), ""},
		{rec(`,"stdout":null,"agent_note":"ok","error":"no"`), ""},
		{rec(`,"stderr_tail":"d","stdout":"a\n\u00e9","agent_note":"ok","stdout_tail":"","stderr":null`), "a\né\n\nd\n"},
		{`{"stdout_tail":"b","stderr":"c","command":["x"],"exit_code":0}`, "c\nb\n"},
	} {
		got := "not read"
		_, errs := ReadLog(strings.NewReader(rec(`,"stdout":"of the line before"`)+"\n"+c.line), input.DefaultLimits(), func(r *Record) {
			got = string(r.AppendOutput(nil))
		})
		if got != c.want || errs.Any() {
			t.Errorf("%s: %q, want %q (%v)", c.line, got, c.want, errs.All())
		}
	}
}

func deref(i *int64) int64 {
	if i == nil {
		return 0
	}
	return *i
}

func TestReadLogGoodLines(t *testing.T) {
	for _, c := range goodLines {
		records, lines, errs := readLog(strings.NewReader(c.line), input.DefaultLimits())
		if len(records) != 1 || lines != 1 || len(errs) > 0 {
			t.Errorf("%s: %d records of %d lines, errors %v", c.name, len(records), lines, errs)
			continue
		}
		if got := showRecord(records[0]); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// schemaBlind marks the bad lines that a schema cannot see to be bad.
const schemaBlind = true

// badLines must be refused. Each error is written "column where: part of its message".
var badLines = []struct {
	name, line string
	want       []string
	blind      bool
}{
	{"exit missing", `{"command":["go","test"]}`, []string{`1 /exit_code: the key "exit_code" is missing (command "go test")`}, false},
	{"command missing", ` {"exit_code":0}`, []string{`2 /command: the key "command" is missing`}, false},
	{"both missing", `{}`, []string{`1 /command: missing`, `1 /exit_code: missing`}, false},
	{"exit false", `{"command":["x"],"exit_code":false}`, []string{`30 /exit_code: exit_code must be an integer from -2147483648 to 2147483647, or null (command "x")`}, false},
	{"exit true", `{"command":["x"],"exit_code":true}`, []string{`30 /exit_code: `}, false},
	{"exit text", `{"command":["x"],"exit_code":"0"}`, []string{`30 /exit_code: `}, false},
	{"exit empty text", `{"command":["x"],"exit_code":""}`, []string{`30 /exit_code: `}, false},
	{"exit list", `{"command":["x"],"exit_code":[0]}`, []string{`30 /exit_code: `}, false},
	{"exit object", `{"command":["x"],"exit_code":{"exit_code":0}}`, []string{`30 /exit_code: `}, false},
	{"exit 0.0", `{"command":["x"],"exit_code":0.0}`, []string{`30 /exit_code: `}, schemaBlind},
	{"exit -0", `{"command":["x"],"exit_code":-0}`, []string{`30 /exit_code: `}, schemaBlind},
	{"exit 0e0", `{"command":["x"],"exit_code":0e0}`, []string{`30 /exit_code: `}, schemaBlind},
	{"exit 1e0", `{"command":["x"],"exit_code":1e0}`, []string{`30 /exit_code: `}, schemaBlind},
	{"exit -0.0", `{"command":["x"],"exit_code":-0.0}`, []string{`30 /exit_code: `}, schemaBlind},
	{"exit 1e-400", `{"command":["x"],"exit_code":1e-400}`, []string{`30 /exit_code: `}, false},
	{"exit 0.5", `{"command":["x"],"exit_code":0.5}`, []string{`30 /exit_code: `}, false},
	{"exit too great", `{"command":["x"],"exit_code":2147483648}`, []string{`30 /exit_code: `}, false},
	{"exit too small", `{"command":["x"],"exit_code":-2147483649}`, []string{`30 /exit_code: `}, false},
	{"exit 2^64", `{"command":["x"],"exit_code":18446744073709551616}`, []string{`30 /exit_code: `}, false},
	{"exit 2^32", `{"command":["x"],"exit_code":4294967296}`, []string{`30 /exit_code: `}, false},
	{"exit in upper case", `{"command":["x"],"Exit_Code":0}`, []string{`1 /exit_code: missing`, `18 /Exit_Code: the key "Exit_Code" is unknown`}, false},
	{"exit twice", `{"command":["x"],"exit_code":1,"exit_code":0}`, []string{`32 /exit_code: the key "exit_code" occurs twice`}, schemaBlind},
	{"exit twice, escaped", `{"command":["x"],"exit_code":1,"\u0065xit_code":0}`, []string{`32 /exit_code: occurs twice`}, schemaBlind},
	{"exit twice, the second an object", `{"command":["x"],"exit_code":1,"exit_code":{}}`, []string{`32 /exit_code: occurs twice`}, false},
	{"exit thrice", `{"command":["x"],"exit_code":1,"exit_code":0,"exit_code":0}`, []string{`32 /exit_code: twice`, `46 /exit_code: twice`}, schemaBlind},
	{"exit in a nested object only", `{"command":["x"],"x-a":{"exit_code":0}}`, []string{`1 /exit_code: missing`}, false},
	{"unknown", rec(`,"exitcode":0`), []string{`40 /exitcode: unknown`}, false},
	{"unknown with an object", rec(`,"a/b~":{"c":[1]}`), []string{`40 /a~1b~0: unknown`}, false},
	{"X- is not x-", rec(`,"X-a":0`), []string{`40 /X-a: unknown`}, false},
	{"own key twice", rec(`,"x-a":0,"x-b":0,"x-a":0,"x-c":0`), []string{`56 /x-a: occurs twice`}, schemaBlind},
	{"own key twice, escaped", rec(`,"x-a":0,"\u0078-a":0`), []string{`48 /x-a: occurs twice`}, schemaBlind},
	{"unknown key twice", rec(`,"y":0,"y":1`), []string{`40 /y: unknown`, `46 /y: unknown`, `46 /y: twice`}, false},
	{"twice in a nested object", rec(`,"x-a":[{"k":1,"l":2,"k":3}],"x-z":1`), []string{`60 /x-a: "k" occurs twice`}, schemaBlind},
	{"twice in a list that is no record", `[{"a":0,"a":0}]`, []string{`1 : the line must be a JSON object`, `9 : "a" occurs twice`}, false},
	{"twice in counts", rec(`,"truncations":{"a":1,"\u0061":2}`), []string{`61 /truncations: "a" occurs twice`}, schemaBlind},
	{"command null", `{"command":null,"exit_code":0}`, []string{`12 /command: `}, false},
	{"command number", `{"command":1,"exit_code":0}`, []string{`12 /command: `}, false},
	{"command object", `{"command":{"a":1},"exit_code":0}`, []string{`12 /command: `}, false},
	{"command empty", `{"command":[],"exit_code":0}`, []string{`12 /command: `}, false},
	{"command without a program", `{"command":["","x"],"exit_code":0}`, []string{`13 /command/0: command/0 must be the name of a program (command "x")`}, false},
	{"command with other things", `{"command":["x",1,null,["y"]],"exit_code":0}`, []string{`17 /command/1: must be a string`, `19 /command/2: `, `24 /command/3: `}, false},
	{"command with only other things", `{"command":[1],"exit_code":0}`, []string{`13 /command/0: `}, false},
	{"several", `{"command":["x"],"exit_code":"0","stdout":1,"seq":null,"zeq":1}`, []string{`30 /exit_code: `, `43 /stdout: stdout must be a string or null`, `51 /seq: seq must be an integer of at least 0`, `56 /zeq: unknown`}, false},
	{"stdout", rec(`,"stdout":0`), []string{`49 /stdout: `}, false},
	{"stderr", rec(`,"stderr":["a"]`), []string{`49 /stderr: `}, false},
	{"stdout_tail", rec(`,"stdout_tail":{}`), []string{`54 /stdout_tail: `}, false},
	{"stderr_tail", rec(`,"stderr_tail":true`), []string{`54 /stderr_tail: `}, false},
	{"agent_note", rec(`,"agent_note":0`), []string{`53 /agent_note: `}, false},
	{"error", rec(`,"error":false`), []string{`48 /error: `}, false},
	{"criterion", rec(`,"criterion":1`), []string{`52 /criterion: `}, false},
	{"runner", rec(`,"runner":{}`), []string{`49 /runner: `}, false},
	{"not_started", rec(`,"not_started":"true"`), []string{`54 /not_started: `}, false},
	{"duration fraction", rec(`,"duration_ms":1.5`), []string{`54 /duration_ms: `}, false},
	{"duration exponent", rec(`,"duration_ms":1e3`), []string{`54 /duration_ms: `}, schemaBlind},
	{"duration negative", rec(`,"duration_ms":-1`), []string{`54 /duration_ms: `}, false},
	{"duration very negative", rec(`,"duration_ms":-99999999999999999999`), []string{`54 /duration_ms: `}, false},
	{"duration text", rec(`,"duration_ms":"5"`), []string{`54 /duration_ms: `}, false},
	{"started at", rec(`,"started_at":false`), []string{`53 /started_at: `}, false},
	{"cwd number", rec(`,"cwd":0`), []string{`46 /cwd: `}, false},
	{"command id empty", rec(`,"command_id":""`), []string{`53 /command_id: `}, false},
	{"command id number", rec(`,"command_id":1`), []string{`53 /command_id: `}, false},
	{"parent empty", rec(`,"parent_command_id":""`), []string{`60 /parent_command_id: `}, false},
	{"task id", rec(`,"task_id":1`), []string{`50 /task_id: `}, false},
	{"counts text", rec(`,"truncations":"3"`), []string{`54 /truncations: `}, false},
	{"counts list", rec(`,"truncations":[3]`), []string{`54 /truncations: `}, false},
	{"counts fraction", rec(`,"redactions":0.5`), []string{`53 /redactions: `}, false},
	{"counts of other things", rec(`,"redactions":{"a":"1","b/":null,"c":{},"d":1}`), []string{`58 /redactions/a: a must be an integer`, `67 /redactions/b~1: `, `76 /redactions/c: `}, false},
	{"seq negative", rec(`,"seq":-1`), []string{`46 /seq: `}, false},
	{"seq null", rec(`,"seq":null`), []string{`46 /seq: `}, false},
	{"seq text", rec(`,"seq":"1"`), []string{`46 /seq: `}, false},
	{"seq fraction", rec(`,"seq":1.0`), []string{`46 /seq: `}, schemaBlind},
	{"head short", rec(`,"head_sha":"` + logTree[1:] + `"`), []string{`51 /head_sha: `}, false},
	{"head in upper case", rec(`,"head_sha":"` + strings.ToUpper(logTree) + `"`), []string{`51 /head_sha: `}, false},
	{"tree of other characters", rec(`,"tree_before":"g` + logTree[1:] + `"`), []string{`54 /tree_before: `}, false},
	{"tree empty", rec(`,"tree_after":""`), []string{`53 /tree_after: `}, false},
	{"tree number", rec(`,"tree_after":1`), []string{`53 /tree_after: `}, false},
	{"digest of sha1", rec(`,"stdout_sha256":"` + logTree + `"`), []string{`56 /stdout_sha256: `}, false},
	{"digest in upper case", rec(`,"stderr_sha256":"` + strings.ToUpper(logDigest) + `"`), []string{`56 /stderr_sha256: `}, false},
	{"run id list", rec(`,"run_id":[]`), []string{`49 /run_id: `}, false},
	{"run id fraction", rec(`,"run_id":1.5`), []string{`49 /run_id: `}, false},
	{"run attempt 0", rec(`,"run_attempt":0`), []string{`54 /run_attempt: `}, false},
	{"run attempt text", rec(`,"run_attempt":"1"`), []string{`54 /run_attempt: `}, false},
	{"hosts text", rec(`,"network_hosts":"a"`), []string{`56 /network_hosts: `}, false},
	{"hosts blank", rec(`,"network_hosts":["a"," \u00a0\u2003\u000b",""]`), []string{`61 /network_hosts/1: `, `83 /network_hosts/2: `}, false},
	{"hosts of other things", rec(`,"network_hosts":[null,["a"]]`), []string{`57 /network_hosts/0: `, `62 /network_hosts/1: `}, false},
	{"produced object", rec(`,"produced":{"path":"a"}`), []string{`51 /produced: `}, false},
	{"produced of texts", rec(`,"produced":["a",["b"]]`), []string{`52 /produced/0: `, `56 /produced/1: `}, false},
	{"produced lacks", rec(`,"produced":[{},{"path":"a"},{"sha256":"` + logDigest + `"}]`), []string{`52 /produced/0/path: missing`, `52 /produced/0/sha256: missing`, `55 /produced/1/sha256: missing`, `68 /produced/2/path: missing`}, false},
	{"produced wrong", rec(`,"produced":[{"path":"","sha256":"` + logTree + `"},{"path":1,"sha256":null}]`), []string{`60 /produced/0/path: `, `72 /produced/0/sha256: `, `124 /produced/1/path: `, `135 /produced/1/sha256: `}, false},
	{"produced unknown", rec(`,"produced":[{"Path":"a","path":"a","sha256":"` + logDigest + `"}]`), []string{`53 /produced/0/Path: unknown`}, false},
	{"produced twice", rec(`,"produced":[{"path":"a","path":"b","sha256":"` + logDigest + `"}]`), []string{`64 /produced: "path" occurs twice`}, schemaBlind},
	{"a list", `[{"command":["x"],"exit_code":0}]`, []string{`1 : the line must be a JSON object`}, false},
	{"a text", `"x"`, []string{`1 : the line must be a JSON object`}, false},
	{"null", ` null`, []string{`2 : the line must be a JSON object`}, false},
}

// brokenLines are not JSON, or not only one value, or too deep.
var brokenLines = []struct {
	name, line string
	want       []string
}{
	{"NaN", `{"command":["x"],"exit_code":NaN}`, []string{`30 /exit_code: JSON has no NaN`}},
	{"Infinity", `{"command":["x"],"exit_code":-Infinity}`, []string{`30 /exit_code: JSON has no -Infinity`}},
	{"plus", `{"command":["x"],"exit_code":+0}`, []string{`30 /exit_code: `}},
	{"leading zero", `{"command":["x"],"exit_code":00}`, []string{`31 : `}},
	{"hexadecimal", `{"command":["x"],"exit_code":0x0}`, []string{`31 : `}},
	{"bare minus", `{"command":["x"],"exit_code":-}`, []string{`30 /exit_code: `}},
	{"bare fraction", `{"command":["x"],"exit_code":0.}`, []string{`30 /exit_code: `}},
	{"bare exponent", `{"command":["x"],"exit_code":0e+}`, []string{`30 /exit_code: `}},
	{"no value", `{"command":["x"],"exit_code":}`, []string{`30 /exit_code: `}},
	{"word", `{"command":["x"],"exit_code":nul}`, []string{`30 /exit_code: `}},
	{"word cut", `{"command":["x"],"exit_code":nul`, []string{`33 /exit_code: the text ends, but the { is not closed`}},
	{"Python", `{'command':['x'],'exit_code':None}`, []string{`2 : `}},
	{"errors before the break stay", `{"command":["x"],"stdout":1,"exit_code":None}`, []string{`27 /stdout: `, `41 /exit_code: `}},
	{"cut", `{"command":["x"],"exit_code":0`, []string{`31 : the text ends`}},
	{"cut in a text", `{"command":["x"],"exit_code":0,"stdout":"abc`, []string{`45 /stdout: the text ends`}},
	{"cut in an escape", `{"command":["x"],"exit_code":0,"stdout":"abc\`, []string{`: the text ends`}},
	{"trailing comma", `{"command":["x"],"exit_code":0,}`, []string{`31 `}},
	{"trailing comma in a list", `{"command":["x",],"exit_code":0}`, []string{`16 /command`}},
	{"no comma", `{"command":["x"] "exit_code":0}`, []string{`18 `}},
	{"no colon", `{"command" ["x"],"exit_code":0}`, []string{`12 `}},
	{"key without quotes", `{command:["x"],"exit_code":0}`, []string{`2 `}},
	{"key is a number", `{"command":["x"],0:0}`, []string{`18 `}},
	{"wrong bracket", `{"command":["x"},"exit_code":0}`, []string{`16 `}},
	{"closing only", `}`, []string{`1 `}},
	{"comment", `{"command":["x"],"exit_code":0} // ok`, []string{`33 : something follows the record (command "x")`}},
	{"second value", `{"command":["x"],"exit_code":1}{"command":["x"],"exit_code":0}`, []string{`32 : something follows the record`}},
	{"second value after a comma", `{"command":["x"],"exit_code":1},`, []string{`32 : something follows the record`}},
	{"NUL behind", "{\"command\":[\"x\"],\"exit_code\":1}\x00", []string{`32 : something follows the record`}},
	{"list with more", `[] 1`, []string{`1 : must be a JSON object`, `4 : something follows the record`}},
	{"control character", "{\"command\":[\"x\ty\"],\"exit_code\":0}", []string{`15 /command/0: `}},
	{"escape", `{"command":["x\q"],"exit_code":0}`, []string{`15 /command/0: `}},
	{"escape not hexadecimal", `{"command":["\u00g0"],"exit_code":0}`, []string{`14 /command/0: `}},
	{"half a pair", `{"command":["\ud800"],"exit_code":0}`, []string{`14 /command/0: `}},
	{"second half only", `{"command":["\udc00"],"exit_code":0}`, []string{`14 /command/0: `}},
	{"two first halves", `{"command":["\ud800\ud800"],"exit_code":0}`, []string{`14 /command/0: `}},
	{"half a pair and an escape", `{"command":["x"],"exit_code":0,"stdout":"\ud83d\n12345678"}`, []string{`42 /stdout: `}},
	{"half a pair and letters", `{"command":["x"],"exit_code":0,"stdout":"\ud83dudc00"}`, []string{`42 /stdout: `}},
	{"half a pair and an escape with digits", `{"command":["x"],"exit_code":0,"stdout":"\ud83d\ndc00"}`, []string{`42 /stdout: `}},
	{"escape of another letter", `{"command":["x"],"exit_code":0,"stdout":"\x0041"}`, []string{`42 /stdout: `}},
	{"cut in a long escape", `{"command":["x"],"exit_code":0,"stdout":"\u00`, []string{`: the text ends`}},
	{"word in hosts", `{"command":["x"],"exit_code":0,"network_hosts":[nul]}`, []string{`49 /network_hosts/0: `}},
	{"word in produced", `{"command":["x"],"exit_code":0,"produced":[{"path":nul}]}`, []string{`52 /produced/0/path: `}},
	{"word in counts", `{"command":["x"],"exit_code":0,"redactions":{"a":nul}}`, []string{`50 /redactions/a: `}},
	{"not UTF-8", "{\"command\":[\"x\"],\"exit_code\":0,\"stdout\":\"a\xffb\"}", []string{`43 /stdout: this is not valid UTF-8`}},
	{"not UTF-8, behind many", "{\"command\":[\"x\"],\"exit_code\":0,\"stdout\":\"12345678\\n12345678\xed\xa0\x80 \"}", []string{`60 /stdout: `}},
	{"not UTF-8 in a key", "{\"command\":[\"x\"],\"exit_code\":0,\"x-\xc0\xaf\":0}", []string{`35 `}},
	{"mark", "\ufeff" + rec(``), []string{`1 : the line begins with a byte order mark (command "go test")`}},
	{"mark and more", "\ufeff" + `{"command":["x"],"exit_code":NaN}`, []string{`1 : byte order mark`, `33 /exit_code: `}},
	{"mark alone", "\ufeff", []string{`1 : byte order mark`, `4 : the line is empty`}},
	{"two marks", "\ufeff\ufeff" + rec(``), []string{`1 : byte order mark`, `4 : `}},
	{"UTF-16", "\xff\xfe{\x00}\x00", []string{`1 : `}},
	{"too deep", rec(`,"x-a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100)), []string{`145 : the nesting of values is over the limit of 100 (command "go test")`}},
	{"far too deep", rec(`,"x-a":` + strings.Repeat(`{"a":`, 100_000)), []string{`541 : the nesting of values is over the limit of 100`}},
	{"deep from the start", strings.Repeat("[", 100_000), []string{`101 : the nesting of values`}},
}

func TestReadLogBadLines(t *testing.T) {
	for _, c := range badLines {
		checkBad(t, c.name, c.line, c.want)
	}
	for _, c := range brokenLines {
		checkBad(t, c.name, c.line, c.want)
	}
}

// checkBad reads a bad line between two good ones.
func checkBad(t *testing.T, name, line string, want []string) {
	t.Helper()
	records, lines, errs := readLog(strings.NewReader(rec(``)+"\n"+line+"\n"+rec(`,"seq":3`)), input.DefaultLimits())
	if lines != 3 || len(records) != 2 || records[1].Seq == nil {
		t.Errorf("%s: %d records of %d lines", name, len(records), lines)
	}
	if len(errs) != len(want) {
		t.Errorf("%s: %d errors, want %d: %+v", name, len(errs), len(want), errs)
		return
	}
	for i, e := range errs {
		place, message, _ := strings.Cut(want[i], ": ")
		got := fmt.Sprintf("%d %s", e.Pos.Column, e.Where)
		if e.Pos.Line != 2 || !strings.HasPrefix(got, place) || !strings.Contains(e.Message, message) {
			t.Errorf("%s: error %d is %d:%s: %s\nwant 2:%s", name, i, e.Pos.Line, got, e.Message, want[i])
		}
		if e.Found == "" || e.Expected == "" || e.Fix == "" || (e.Limit != "") != strings.Contains(e.Message, "over the limit") {
			t.Errorf("%s: error %d is not complete: %+v", name, i, e)
		}
	}
}

func TestReadLogHints(t *testing.T) {
	for _, c := range []struct{ line, found, fix string }{
		{`{"command":["x"],"exit_code":0,"Exit_Code":0}`, `"Exit_Code"`, `did you mean "exit_code"?`},
		{`{"command":["x"],"exit_code":"0"}`, `the string "0"`, "write 0, without quotes"},
		{`{"command":["x"],"exit_code":"zero"}`, `the string "zero"`, "write an integer from -2147483648 to 2147483647, or null"},
		{`{"command":["x"],"exit_code":false}`, "false", "write a number; true and false are not numbers"},
		{`{"command":["x"],"exit_code":0.0}`, "the number 0.0", "write it in plain digits, without fraction, and within the range: 0, not -0, 0.0 or 0e0"},
		{`{"command":["x"],"exit_code":0,"seq":null}`, "null", "write an integer of at least 0"},
		{`{"command":["x"],"exit_code":[]}`, "a list", "write an integer from -2147483648 to 2147483647, or null"},
		{`{"command":["x"],"exit_code":{}}`, "an object", "write an integer from -2147483648 to 2147483647, or null"},
		{`{"command":["x"],"exit_code":NaN}`, `"NaN}"`, "write null in place of NaN"},
		{`{"command":["x"],"exit_code":None}`, `"None}"`, "write null in place of None"},
		{`{"command":["x"],"exit_code":nil}`, `"nil}"`, "write null in place of nil"},
		{"\xff\xfe{\x00", `"\xff\xfe{\x00"`, "save it as UTF-8 without byte order mark; in PowerShell write | Out-File -Encoding utf8NoBOM in place of >"},
	} {
		_, _, errs := readLog(strings.NewReader(c.line), input.DefaultLimits())
		if len(errs) != 1 || errs[0].Found != c.found || errs[0].Fix != c.fix {
			t.Errorf("%s: %+v\nwant found %s, fix %s", c.line, errs, c.found, c.fix)
		}
	}
}

// The schema and the reader must agree on every line that is JSON, but for what a schema cannot see.
func TestFeedbackSchemaAgrees(t *testing.T) {
	compiled, err := stricttest.Compile("feedback_record")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(line string) error {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		var value any
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return compiled.Validate(value)
	}
	for _, c := range goodLines {
		if err := valid(c.line); err != nil {
			t.Errorf("%s: the schema refuses it: %v", c.name, err)
		}
	}
	for _, c := range badLines {
		if err := valid(c.line); (err == nil) != c.blind {
			t.Errorf("%s: the schema says %v, and blind is %v", c.name, err, c.blind)
		}
	}
}

func TestReadLogLines(t *testing.T) {
	a, b := rec(``), rec(`,"seq":1`)
	for _, c := range []struct {
		name, log string
		records   []string // "line:column" of each
	}{
		{"empty", "", nil},
		{"blank", " \n\t\n\r\n\r\r", nil},
		{"no end of line", a, []string{"1:1"}},
		{"LF", a + "\n" + b + "\n", []string{"1:1", "2:1"}},
		{"CRLF", a + "\r\n" + b + "\r\n", []string{"1:1", "2:1"}},
		{"CR at the end", a + "\r", []string{"1:1"}},
		{"blank lines", "\n\r\n" + a + "\n \t\r\n  " + b, []string{"3:1", "5:3"}},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.log), iotest.OneByteReader(strings.NewReader(c.log)), iotest.DataErrReader(strings.NewReader(c.log))} {
			records, lines, errs := readLog(r, input.DefaultLimits())
			var got []string
			for _, rec := range records {
				got = append(got, fmt.Sprintf("%d:%d", rec.Pos.Line, rec.Pos.Column))
				if text := strings.TrimLeft(string(rec.Line), " "); text != a && text != b {
					t.Errorf("%s: the line is %q", c.name, rec.Line)
				}
			}
			if !slices.Equal(got, c.records) || lines != int64(len(c.records)) || len(errs) > 0 {
				t.Errorf("%s: records at %v of %d lines, %v; want %v", c.name, got, lines, errs, c.records)
			}
		}
	}
}

// A line costs one line, and one more for every four keys of its own: of this line, not of those before it.
func TestReadLogCountsKeysOfEachLine(t *testing.T) {
	const records = 100
	line := rec(`,"truncations":{"a":1,"b":1},"redactions":{"c":1,"d":1}`) + "\n"
	limits := input.DefaultLimits()
	for _, c := range []struct{ most, want int64 }{{2 * records, records}, {2*records - 1, records}, {records, records / 2}} {
		limits.LogLines = c.most
		_, lines, errs := readLog(strings.NewReader(strings.Repeat(line, records)), limits)
		if reached := len(errs) == 0; lines != c.want || reached != (c.most == 2*records) {
			t.Errorf("of %d lines: %d lines, %v", c.most, lines, errs)
		}
	}
}

func TestReadLogFailingReader(t *testing.T) {
	cause := errors.New("the disk is broken")
	broken := iotest.ErrReader(fmt.Errorf("reading: %w", &fs.PathError{Op: "read", Path: "/home/someone/log", Err: cause}))
	for _, c := range []struct {
		before         string
		records, lines int
		at             input.Pos
	}{
		{"", 0, 0, input.Pos{Line: 1, Column: 1}},
		{rec(``), 0, 1, input.Pos{Line: 1, Column: 1}}, // complete by chance only
		{rec(``) + "\n", 1, 1, input.Pos{Line: 2, Column: 1}},
	} {
		records, lines, errs := readLog(io.MultiReader(strings.NewReader(c.before), broken), input.DefaultLimits())
		if len(records) != c.records || lines != int64(c.lines) || len(errs) != 1 {
			t.Fatalf("%q: %d records of %d lines, %v", c.before, len(records), lines, errs)
		}
		if e := errs[0]; e.Pos != c.at || e.Limit != "" || !strings.HasSuffix(e.Message, ": the disk is broken") || strings.Contains(fmt.Sprint(e), "/home") {
			t.Errorf("%q: %+v", c.before, e)
		}
	}
}

// Once reading has failed it is over, also where the failure cuts a line that is too long.
func TestReadLogFailsForGood(t *testing.T) {
	limits := input.DefaultLimits()
	limits.RecordBytes = 10
	flaky := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("x")))
	r := io.MultiReader(strings.NewReader(strings.Repeat("x", 20)), flaky, strings.NewReader("\n"+rec(``)))
	records, lines, errs := readLog(r, limits)
	if len(records) != 0 || lines != 1 || len(errs) != 2 || errs[0].Limit != input.FlagRecordBytes || errs[1].Limit != "" {
		t.Errorf("%d records of %d lines, %+v", len(records), lines, errs)
	}
}

// The depth limit counts the lists and objects that the fields have, too.
func TestReadLogDepthLimit(t *testing.T) {
	produced := rec(`,"produced":[{"path":"a","sha256":"` + logDigest + `"}]`)
	for depth, want := range []string{"1:1", "1:12", "1:52", "", ""} {
		limits := input.DefaultLimits()
		limits.Depth = depth
		_, _, errs := readLog(strings.NewReader(produced), limits)
		got := ""
		for _, e := range errs {
			if got += fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Column); e.Limit != input.FlagDepth {
				t.Errorf("depth %d: %+v", depth, e)
			}
		}
		if got != want {
			t.Errorf("depth %d: error at %q, want %q", depth, got, want)
		}
	}
	limits := input.DefaultLimits()
	limits.Depth = math.MaxInt
	if _, _, errs := readLog(strings.NewReader(strings.Repeat("[", 1<<20)), limits); len(errs) != 1 || errs[0].Limit != input.FlagDepth {
		t.Errorf("without a limit: %v", errs)
	}
}

// An error names the command where there is one.
func TestReadLogNamesTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		`{"exit_code":0}`:                                     `the key "command" is missing`,
		`{"command":["go","test","a b"]}`:                     `the key "exit_code" is missing (command "go test a b")`,
		`{"command":"a | b"}`:                                 `the key "exit_code" is missing (command "a | b")`,
		`{"command":["` + strings.Repeat("é", 50) + `"]}`:     `the key "exit_code" is missing (command "` + strings.Repeat("é", 40) + `…")`,
		`{"x-a":{"command":["inner"]},"command":["outer"]}`:   `the key "exit_code" is missing (command "outer")`,
		`{"exit_code":"1","command":["x"],"stdout":"\u001b"}`: `exit_code must be an integer from -2147483648 to 2147483647, or null (command "x")`,
	} {
		_, _, errs := readLog(strings.NewReader(line), input.DefaultLimits())
		if len(errs) != 1 || errs[0].Message != want {
			t.Errorf("%s: %v\nwant %s", line, errs, want)
		}
	}
}

// A parser keeps few errors of one line, however many there are.
func TestLogParserKeepsFewErrors(t *testing.T) {
	p := &logParser{errs: &input.Errors{}, depth: 100}
	if p.parse([]byte(`{"exit_code":0,"command":["x"`+strings.Repeat(",0", 5000)+"]}"), 1) || len(p.faults) != input.MaxErrors {
		t.Errorf("%d errors are kept", len(p.faults))
	}
}

// Millions of errors cost no memory: the list is cut, and it contains only short parts of the input.
func TestReadLogManyErrors(t *testing.T) {
	const n = input.MaxErrors + 7
	long := strings.Repeat("k", 10_000)
	for name, log := range map[string]string{
		"in many lines":   strings.Repeat("x\n", n),
		"in one line":     `{"exit_code":0,"command":["x"` + strings.Repeat(",0", n) + "]}",
		"about the depth": strings.Repeat(strings.Repeat("[", 101)+"\n", n),
		"with long keys":  strings.Repeat(`{"exit_code":0,"command":["`+long+`"],"`+long+`":0}`+"\n", n),
		"twice":           strings.Repeat(`{"exit_code":0,"command":["x"],"x-`+long+`":0,"x-`+long+`":0}`+"\n", n),
	} {
		_, _, errs := readLog(strings.NewReader(log), input.DefaultLimits())
		if len(errs) != input.MaxErrors+1 || errs[input.MaxErrors].Times != 7 {
			t.Errorf("%s: %d errors, the last %+v", name, len(errs), errs[len(errs)-1])
		}
		for _, e := range errs {
			if size := len(fmt.Sprint(e)); size > 2000 {
				t.Fatalf("%s: an error of %d bytes", name, size)
			}
		}
	}
}

// zeros is an endless text.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// A line over the limit is stepped over without being kept.
func TestReadLogMemory(t *testing.T) {
	limits := input.DefaultLimits()
	limits.RecordBytes = 1 << 20
	log := io.MultiReader(io.LimitReader(zeros{}, 64<<20), strings.NewReader("\n"+rec(``)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	records, _, errs := readLog(log, limits)
	runtime.ReadMemStats(&after)
	if len(records) != 1 || len(errs) != 1 {
		t.Fatalf("%d records, %v", len(records), errs)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("a line of 64 MiB cost %d bytes at a limit of 1 MiB", used)
	}
}

func TestReadLogLineage(t *testing.T) {
	data, err := os.ReadFile("testdata/lineage/L37_feedback_record.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	records, lines, errs := readLog(bytes.NewReader(data), input.DefaultLimits())
	if lines != 5 || len(errs) > 0 {
		t.Fatalf("%d lines, %v", lines, errs)
	}
	want := []string{
		`python3|-c|print('hello') cwd=. exit=0 id=1d3a99804908 ms=96`,
		`python3|-c|print('Authorization: Bearer ya29.AbCdEf'); print('password=hunter2'); print('AKIAIOSFODNN7EXAMPLE') cwd=. exit=0 id=83630d41a873 ms=103`,
		`python3|-c|import sys; sys.exit(2) cwd=. exit=2 id=cf31a618a680 ms=102`,
		`python3|-c|print('recovered'); import sys; sys.exit(0) cwd=. exit=0 id=9835c4918172 parent=cf31a618a680 ms=219`,
		`does-not-exist cwd=. id=da7f2f712a69 ms=2`,
	}
	for i, r := range records {
		if got := showRecord(r); got != want[i] {
			t.Errorf("record %d: %s\nwant %s", i, got, want[i])
		}
	}
}

// The strings of a record are its own: they outlive the line.
func TestReadLogStringsOutliveTheLine(t *testing.T) {
	records, _, _ := readLog(strings.NewReader(`{"command":["a","\u0062"],"exit_code":1}`+"\n"+`{"command":["c","\u0064"],"exit_code":2}`), input.DefaultLimits())
	if got := showRecord(records[0]); got != "a|b cwd=. exit=1" || !reflect.DeepEqual(records[1].Argv, []string{"c", "d"}) {
		t.Errorf("records %s and %s", got, showRecord(records[1]))
	}
}

// benchmarkLog writes a log of about size bytes as test runners make them: escapes, colours, some other scripts.
func benchmarkLog(size int) []byte {
	random := rand.New(rand.NewSource(1))
	tails := []string{
		"--- PASS: TestStore/case_%d (0.00s)\n", "ok  \texample.test/app/m%d\t0.318s\n", "C:\\build\\work\\%d\\main.cpp\n",
		"\x1b[32m✓\x1b[39m renders %d items\n", "café naïve über: %d …\n", "{\"level\":\"info\",\"ts\":%d,\"msg\":\"served\"}\n",
		"src/app/index.ts(%d,17): warning TS6133: 'props' is declared but its value is never read.\n",
	}
	var log bytes.Buffer
	for seq := 1; log.Len() < size; seq++ {
		var tail strings.Builder
		for range random.Intn(120) {
			fmt.Fprintf(&tail, tails[random.Intn(len(tails))], random.Intn(1_000_000))
		}
		text, err := json.Marshal(tail.String())
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&log, `{"seq":%d,"command_id":"%012x","parent_command_id":null,"task_id":"T-1","command":["go","test","./services/s%d/..."],"cwd":".","exit_code":0,"duration_ms":%d,"started_at":1795218551.%d,"stdout_tail":%s,"stderr_tail":"","agent_note":"step %d","error":null,"truncations":{"stdout":0,"stderr":0},"redactions":{"stdout":0,"stderr":0}}`+"\n",
			seq, random.Int63n(1<<48), seq%20, random.Intn(5000), seq, text, seq)
	}
	return log.Bytes()
}

func BenchmarkReadLog(b *testing.B) {
	log := benchmarkLog(20 << 20)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := ReadLog(bytes.NewReader(log), input.DefaultLimits(), func(*Record) {}); errs.Any() {
			b.Fatal(errs.All()[0])
		}
	}
}

// A line is read independently: the state of an earlier line neither panics nor shows in its errors.
func TestEveryTypeAfterAnotherLine(t *testing.T) {
	const long = `{"a-key-that-is-far-longer-than-the-next-line":{"a":0,"a":0}}`
	for _, line := range stricttest.OtherTypes {
		for _, before := range []string{long, rec(`,"truncations":{"a":1}`), `[{"a":0,"a":0}]`} {
			_, _, alone := readLog(strings.NewReader("\n"+line), input.DefaultLimits())
			_, _, both := readLog(strings.NewReader(before+"\n"+line), input.DefaultLimits())
			var after []input.Error
			for _, e := range both {
				if e.Pos.Line == 2 {
					after = append(after, e)
				}
			}
			if fmt.Sprint(after) != fmt.Sprint(alone) {
				t.Errorf("%s behind %s: %v, alone: %v", line, before, after, alone)
			}
			for i := range min(len(after), len(alone)) {
				if after[i].Where != alone[i].Where {
					t.Errorf("%s behind %s: where %q, alone %q", line, before, after[i].Where, alone[i].Where)
				}
			}
		}
	}
}
