package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/verify/item"
	"github.com/closeout-gate/closeout/verify/report"
)

// RatchetFile, beside a bundle, lists the facts about items that passed before and no longer hold. Then no verdict makes PASS.
const RatchetFile = "ratchet.json"

// Proof is that of [item.Fold]: a verdict counts as PASS when the report of its bundle is there, with the digest of the event,
// and says the same. A verdict that locks nothing as PASS needs none: a forged one gains nothing.
func (s *Store) Proof(e item.Event) error {
	if e.Outcome != item.Pass && e.Verdict != report.Passed {
		return nil
	}
	if !filepath.IsLocal(e.Bundle) {
		return fmt.Errorf("the bundle %q is not in the state folder", e.Bundle)
	}
	if _, err := os.Lstat(s.Path(filepath.Dir(filepath.FromSlash(e.Bundle)), RatchetFile)); e.Outcome == item.Pass && !errors.Is(err, fs.ErrNotExist) {
		return errors.New("beside its bundle stands that an item that passed before no longer holds")
	}
	data, err := os.ReadFile(s.Path(e.Bundle, report.FileName))
	if err != nil {
		return fmt.Errorf("its report cannot be read: %w", errors.Unwrap(err))
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != e.ReportSHA256 {
		return fmt.Errorf("its report has another digest (%x)", sum[:6])
	}
	verdict, ok := report.ReadVerdict(bytes.NewReader(data))
	if !ok || verdict != report.Passed {
		return fmt.Errorf("its report says %q", verdict)
	}
	return nil
}
