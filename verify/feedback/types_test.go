package feedback

import (
	"bytes"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// wholeRecord is a record with every key.
const wholeRecord = `{"command":["go","test"],"exit_code":0,"stdout":"a","stderr":"b","stdout_tail":"c","stderr_tail":"d","duration_ms":1,` +
	`"started_at":1.5,"cwd":"web","agent_note":"n","error":"e","command_id":"i","parent_command_id":"p","truncations":{"stdout":0},` +
	`"redactions":0,"seq":1,"task_id":"T-1","criterion":"c1","head_sha":"TREE","tree_before":"TREE","tree_after":"TREE",` +
	`"stdout_sha256":"DIGEST","stderr_sha256":"DIGEST","produced":[{"path":"r.json","sha256":"DIGEST","x-a":1}],"root":"/w","not_started":false,"runner":"ci","run_id":7,` +
	`"run_attempt":1,"network_hosts":["a.example"],"x-note":{"a":[1]}}`

var documents = []stricttest.Document{
	{Name: "log", Schema: "feedback_record", Whole: strings.NewReplacer("TREE", strings.Repeat("a", 40), "DIGEST", strings.Repeat("b", 64)).Replace(wholeRecord), Parse: func(data []byte) *input.Errors {
		_, errs := ReadLog(bytes.NewReader(data), input.DefaultLimits(), func(r *Record) { r.AppendOutput(nil) })
		return errs
	}},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }
