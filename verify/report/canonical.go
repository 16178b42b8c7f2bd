package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the bytes of the report file: RFC 8785, no newline at the end. Every text in r must be UTF-8; a nil slice
// is written as an empty list.
func Canonical(r *Report) ([]byte, error) {
	return CanonicalChecked(r, func([]byte) error { return nil }, func([]byte) error { return nil })
}

// CanonicalChecked is [Canonical] with two checks of the result: whole checks the report with an empty list of files, and files
// checks a list of files.
//
// The list of files can be as long as the change. Of files that differ only in their path, files checks the first: our schema
// only says that a path is a text and not empty, which a test ensures.
func CanonicalChecked(r *Report, whole, files func([]byte) error) ([]byte, error) {
	fillLists(r)
	head := *r
	head.Files = []File{}
	text, err := canonical(&head)
	if err != nil {
		return nil, err
	}
	if err := whole(text); err != nil {
		return nil, err
	}
	shown, err := canonical(shapes(r.Files))
	if err != nil {
		return nil, err
	}
	if err := files(shown); err != nil {
		return nil, err
	}
	return insertFiles(text, r.Files)
}

// shapes returns the first of all files that differ only in their path.
func shapes(files []File) []File {
	seen, first := map[File]bool{}, []File{}
	for _, f := range files {
		shape := f
		if shape.Path != "" {
			shape.Path = "path"
		}
		if !seen[shape] {
			seen[shape] = true
			first = append(first, f)
		}
	}
	return first
}

// CanonicalJSON writes any value in canonical form: RFC 8785, no newline at the end. Every text in it must be UTF-8.
func CanonicalJSON(value any) ([]byte, error) { return canonical(value) }

// canonical writes a value in canonical form.
func canonical(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	if err := (*jsontext.Value)(&text).Canonicalize(); err != nil {
		return nil, fmt.Errorf("writing JSON in canonical form: %w", err)
	}
	return text, nil
}

// insertFiles replaces the empty list with the files. No text can contain the key in this form, because its quotes would be
// escaped, and no other object has an empty list of that name.
func insertFiles(head []byte, files []File) ([]byte, error) {
	const key = `"files":[`
	before, after, _ := bytes.Cut(head, []byte(key+"]"))
	out := make([]byte, 0, len(head)+128*len(files))
	out = append(append(out, before...), key...)
	for i := range files {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendFile(out, &files[i]); err != nil {
			return nil, err
		}
	}
	return append(append(out, ']'), after...), nil
}

// appendFile writes one file. Nearly every file needs no escapes: then the texts as they are and the keys in order are the
// canonical form.
func appendFile(out []byte, f *File) ([]byte, error) {
	if f.PathBase64 != "" || !needsNoEscape(f.Path) || !needsNoEscape(f.Class+f.Status+f.OldMode+f.NewMode) {
		text, err := canonical(f)
		return append(out, text...), err
	}
	for _, part := range [...]string{
		`{"class":"`, f.Class, `","new_mode":"`, f.NewMode, `","old_mode":"`, f.OldMode, `","path":"`, f.Path, `","status":"`, f.Status, `"}`,
	} {
		out = append(out, part...)
	}
	return out, nil
}

// needsNoEscape reports whether a text is printable ASCII without quotes and backslashes.
func needsNoEscape(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// fillLists replaces nil slices, so that readers of the report need not distinguish null and [].
func fillLists(r *Report) {
	fill(&r.Checks)
	fill(&r.Findings)
	fill(&r.Acceptance)
	fill(&r.Approvals)
	fill(&r.Companions)
	fill(&r.Files)
	fill(&r.OverrideRefused)
	fill(&r.Inputs)
	for i := range r.Acceptance {
		fill(&r.Acceptance[i].Run)
		fill(&r.Acceptance[i].DecidedBy)
	}
	if r.Override != nil {
		fill(&r.Override.Accepted)
	}
	for i := range r.PullRequests {
		p := &r.PullRequests[i]
		fill(&p.OverrideRefused)
		if p.Override != nil {
			fill(&p.Override.Accepted)
		}
	}
	if r.Settings.Limits == nil {
		r.Settings.Limits = Limits{}
	}
	if rule := r.Settings.Override; rule != nil {
		fill(&rule.Users)
		fill(&rule.Teams)
		fill(&rule.Never)
	}
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
