package canary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
)

// whole is the part of the inputs that belong to no pull request of a merge group.
const whole = -1

// file is one input in memory.
type file struct {
	verify.Input
	part int // index into the parts of the bundle, or whole
	data []byte
	gone bool // a copy does not contain it
}

// inputs are those of a decision, or a copy of them. Copies share the bytes that they do not change.
type inputs struct {
	files    []file
	parts    []int64
	tests    map[string][]byte // test reports by their path in the repository; nil bytes where there is none
	settings verify.Settings
}

// read reads the inputs of a bundle, up to limit bytes in all. An input that cannot be read is an error: the decision says
// why.
func read(b *verify.Bundle, limit int64) (*inputs, error) {
	in := &inputs{tests: map[string][]byte{}, settings: b.Settings}
	add := func(part int, list []verify.Input) error {
		for _, input := range list {
			data, err := input.Read(limit)
			if err != nil {
				return fmt.Errorf("the input %s cannot be read: %w", diag.QuotePath(input.Name), diag.Reason(err))
			}
			if limit -= int64(len(data)); limit < 0 {
				return errLarge
			}
			in.files = append(in.files, file{Input: input, part: part, data: data})
		}
		return nil
	}
	if err := add(whole, b.Inputs); err != nil {
		return nil, err
	}
	for i, part := range b.Parts {
		in.parts = append(in.parts, part.PullRequest)
		if err := add(i, part.Inputs); err != nil {
			return nil, err
		}
	}
	return in, in.readTests(b, limit)
}

// readTests reads the test reports for which the judge will ask: those that the decision asked for.
func (in *inputs) readTests(b *verify.Bundle, limit int64) error {
	if b.TestReport == nil {
		return nil
	}
	for _, name := range in.namedTests() {
		open := b.TestReport(name)
		if open == nil {
			continue
		}
		data, err := verify.Input{Name: name, Open: open}.Read(limit)
		if err != nil {
			return fmt.Errorf("the test report %s cannot be read: %w", diag.QuotePath(name), diag.Reason(err))
		}
		if limit -= int64(len(data)); limit < 0 {
			return errLarge
		}
		in.tests[name] = data
	}
	return nil
}

var errLarge = errors.New("the inputs have more bytes than the report lists and may be read")

// copy returns a copy that can be changed.
func (in *inputs) copy() *inputs {
	c := *in
	c.files, c.settings.Digests = slices.Clone(in.files), slices.Clone(in.settings.Digests)
	return &c
}

// bundle is what the judge gets.
func (in *inputs) bundle() *verify.Bundle {
	b := &verify.Bundle{Settings: in.settings}
	for _, number := range in.parts {
		b.Parts = append(b.Parts, verify.Part{PullRequest: number})
	}
	for _, f := range in.files {
		f.Open = opener(f.data)
		if f.gone {
			continue
		}
		if f.part == whole {
			b.Inputs = append(b.Inputs, f.Input)
		} else {
			b.Parts[f.part].Inputs = append(b.Parts[f.part].Inputs, f.Input)
		}
	}
	b.TestReport = func(name string) verify.Opener {
		data, found := in.tests[name]
		if !found {
			return nil
		}
		return opener(data)
	}
	return b
}

func opener(data []byte) verify.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// of lists the places of the inputs of a kind.
func (in *inputs) of(kind check.Kind, part int) []int {
	var list []int
	for i := range in.files {
		if in.files[i].Kind == kind && in.files[i].part == part {
			list = append(list, i)
		}
	}
	return list
}

// facts parses the facts of a part; nil when there are none that can be read.
func (in *inputs) facts(part int) *facts.Facts {
	for _, i := range in.of(check.Facts, part) {
		if f, errs := facts.Parse(in.files[i].data, in.settings.Limits); !errs.Any() {
			return f
		}
	}
	return nil
}

// setFacts replaces the facts of a part.
func (in *inputs) setFacts(part int, f *facts.Facts) error {
	data, err := f.Marshal()
	if err == nil {
		in.files[in.of(check.Facts, part)[0]].data = data
	}
	return err
}

// displays is what the report calls the inputs of the bundle itself, where the facts say another name than their own.
func displays(known *facts.Facts) map[string]string {
	names := map[string]string{}
	if known != nil {
		for _, f := range slices.Backward(known.Files) {
			names[f.File] = f.Path // the first of a name counts
		}
	}
	return names
}

// resupply gives the records the new digests of reports that were changed, and the gate the new digests of logs: a copy must
// not be refused because of an old digest.
func (in *inputs) resupply(old *inputs) {
	in.rename(old, func(k check.Kind) bool { return k != check.Feedback && k != check.Facts }, check.Feedback)
	in.rename(old, func(k check.Kind) bool { return k == check.Feedback }, check.Facts)
}

// rename replaces the digests of changed inputs of some kinds in the inputs of another kind, and in the settings. A copy has the
// same files at the same places.
func (in *inputs) rename(old *inputs, changed func(check.Kind) bool, inside check.Kind) {
	var pairs []string
	for i := range old.files {
		if was, now := &old.files[i], &in.files[i]; changed(was.Kind) && !bytes.Equal(was.data, now.data) {
			pairs = append(pairs, digest(was.data), digest(now.data))
		}
	}
	if len(pairs) == 0 {
		return
	}
	r := strings.NewReplacer(pairs...)
	for k := range in.files {
		if f := &in.files[k]; f.Kind == inside {
			f.data = []byte(r.Replace(string(f.data)))
		}
	}
	for k, d := range in.settings.Digests {
		in.settings.Digests[k] = r.Replace(d)
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// replaceAt replaces the value at a JSON pointer; ok is false when there is none, or the text is no JSON.
func replaceAt(data []byte, pointer string, change func(old []byte) string) (changed []byte, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		if kind := d.PeekKind(); kind == 0 {
			return nil, false
		}
		if at := string(d.StackPointer()); at == pointer && isName(d) {
			value, err := d.ReadValue()
			if err != nil {
				return nil, false
			}
			end := d.InputOffset()
			start := end - int64(len(value))
			return slices.Concat(data[:start], []byte(change(value)), data[end:]), true
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, false
		}
	}
}

// isName reports whether the last token that was read is the name of a member, so that its value is next.
func isName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 1
}

// set replaces the value of a key of an object, or adds the key.
func set(object []byte, key, value string) []byte {
	if changed, ok := replaceAt(object, "/"+key, func([]byte) string { return value }); ok {
		return changed
	}
	brace := bytes.IndexByte(object, '{') + 1
	return slices.Concat(object[:brace], []byte(`"`+key+`":`+value+`,`), object[brace:])
}
