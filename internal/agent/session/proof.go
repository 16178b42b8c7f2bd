package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// RatchetFile, beside a bundle, lists the facts about items that passed before and no longer hold. A verdict with such a file never
// makes PASS.
const RatchetFile = "ratchet.json"

// Proof is an [item.Proof]: a verdict counts as PASS when the report of its bundle is there, has the digest of the event,
// and says the same about the same head, code and contract. A verdict that makes no PASS needs no proof, because an agent that
// forges one gains nothing.
func (s *Store) Proof(e item.Event) error {
	if e.Outcome != item.Pass && e.Verdict != report.Passed {
		return nil
	}
	if _, err := os.Lstat(s.Path(filepath.Dir(filepath.FromSlash(e.Bundle)), RatchetFile)); e.Outcome == item.Pass && !errors.Is(err, fs.ErrNotExist) {
		return errors.New(RatchetFile + " beside its bundle lists an item that passed before and no longer holds")
	}
	data, err := s.Report(e)
	if err != nil {
		return err
	}
	// A report is canonical JSON: no blanks, keys in order, the verdict last. There may be 10,000 of them, and a parser would need
	// twice the time.
	if !bytes.HasSuffix(data, []byte(`,"verdict":"`+report.Passed+`"}`)) || !bytes.Contains(data, []byte(`,"schema":"`+report.Schema+`",`)) {
		return errors.New("its report does not say " + report.Passed)
	}
	for _, value := range [][2]string{{"head_sha", e.Head}, {"code_tree", e.Tree}, {"sha256", e.ContractSHA256}} {
		if !bytes.Contains(data, []byte(`"`+value[0]+`":"`+value[1]+`"`)) {
			return errors.New("its report is about another commit or contract")
		}
	}
	return nil
}

// Ratchet reads the facts of a verdict about the items that no longer hold, nil for none.
func (s *Store) Ratchet(e item.Event) (facts []item.Fact, err error) {
	if len(e.Broken) == 0 {
		return nil, nil
	}
	name := s.Path(filepath.Dir(filepath.FromSlash(e.Bundle)), RatchetFile)
	data, err := s.Read(filepath.Dir(filepath.FromSlash(e.Bundle)), RatchetFile)
	if err == nil {
		err = json.Unmarshal(data, &facts)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w; closeout item submit judges again", name, input.Reason(err))
	}
	return facts, err
}

// Report reads the report of a verdict. Its digest must be the one in the event.
func (s *Store) Report(e item.Event) ([]byte, error) {
	if !filepath.IsLocal(e.Bundle) {
		return nil, fmt.Errorf("its bundle %q is not in the state folder", e.Bundle)
	}
	data, err := s.Read(e.Bundle, report.FileName)
	if err != nil {
		return nil, fmt.Errorf("its report cannot be read: %w", input.Reason(err))
	}
	if input.Digest(data) != e.ReportSHA256 {
		return nil, errors.New("its report has another digest")
	}
	return data, nil
}
