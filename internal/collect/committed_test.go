package collect

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/report"
)

// What is a log or a report is told by the parsers of the gate, and what says nothing is none.
func TestEvidenceKind(t *testing.T) {
	for text, want := range map[string]string{
		`{"command": ["true"], "exit_code": 0}` + "\n": change.EvidenceFeedback,
		`{"command": ["true"]}` + "\n":                 "",
		"\n":                                           "",
		`<testsuite><testcase name="a"/></testsuite>`: change.EvidenceTests,
		`<testsuite></testsuite>`:                     "",
		`<html></html>`:                               "",
		`{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n": change.EvidenceTests,
		`[{"id": "a", "passed": true}]`:                  change.EvidenceRules,
		`{"block_failures": [], "warn_failures": []}`:    change.EvidenceRules,
		`{"version": "2.1.0", "runs": []}`:               change.EvidenceRules,
		`[]`:                                             "",
		`{"rules": []}`:                                  "",
		`{"current": 0.5}`:                               change.EvidenceCoverage,
		`{"schema": "closeout.facts/v1"}`:                change.EvidenceFacts,
		`{"schema": "closeout.changes/v1", "files": []}`: change.EvidenceChanges,
		`{"schema": "closeout.verification_report/v1"}`:  "",
		`{"users": [{"name": "a"}]}`:                     "",
		`{}`:                                             "",
		`{"command": ["true"], "exit_code": 0}` + "\nimport os\n": "",
		"import os\n": "",
	} {
		if got := evidenceKind([]byte(text)); got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
	data, err := os.ReadFile("../../testdata/example/scope_contract.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := evidenceKind(data); got != change.EvidenceContract {
		t.Errorf("a contract: %q", got)
	}
	data, err = report.Canonical(verify.Failure(verify.CodeInternal, "a", "b", verify.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	if got := evidenceKind(data); got != change.EvidenceReport {
		t.Errorf("a report: %q", got)
	}
	data = bytes.Replace(data, []byte(`"acceptance"`), []byte(`"aaa":["data"],"acceptance"`), 1)
	if got := evidenceKind(data); got != "" {
		t.Errorf("a report with data: %q", got)
	}
}

// manyBlobs has blobs of one size, and fails for the id "gone".
type manyBlobs struct {
	Objects
	size, read int
}

func (m *manyBlobs) Blob(id string, limit int64) ([]byte, error) {
	switch m.read++; {
	case id == "gone":
		return nil, errors.New("no such object")
	case int64(m.size) > limit:
		return nil, ErrTooLarge
	}
	return append([]byte(`{"current": 0.5}`), make([]byte, m.size-16)...), nil
}

// Parsing has limits: what is beyond them is not evidence. An object that is missing is not an answer.
func TestFindEvidenceIsBounded(t *testing.T) {
	many := &manyBlobs{size: MaxEvidenceFile + 1}
	c := &Comparison{Objects: many, Changes: []change.Change{{Path: "e/a.json", NewMode: change.Regular, NewID: "1"}}}
	if c.findEvidence("e"); c.Changes[0].Evidence != "" || c.Unavailable != nil {
		t.Errorf("a large file: %+v", c)
	}
	many = &manyBlobs{size: MaxEvidenceFile}
	c = &Comparison{Objects: many}
	for i := range 10 {
		c.Changes = append(c.Changes, change.Change{Path: "e/a", NewMode: change.Regular, NewID: strings.Repeat("1", i+1)})
	}
	if c.findEvidence("e"); many.read != maxEvidenceAll/MaxEvidenceFile {
		t.Errorf("read %d files", many.read)
	}
	c = &Comparison{Objects: many, Changes: []change.Change{
		{Path: "e/link.json", NewMode: change.Symlink, NewID: "gone"}, {Path: "ee/a.json", NewMode: change.Regular, NewID: "gone"}, {Path: "e/gone.json", NewMode: change.Regular, NewID: "gone"},
	}}
	if c.findEvidence("e"); len(c.Unavailable) != 1 || c.Unavailable[0].About != "e/gone.json" {
		t.Errorf("a missing object: %+v", c.Unavailable)
	}
}
