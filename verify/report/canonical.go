package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/gowebpki/jcs"
)

// Canonical returns the bytes of a report's file: RFC 8785, no newline at the end. Every text in r must be UTF-8; a
// nil slice is written as an empty list.
func Canonical(r *Report) ([]byte, error) {
	return CanonicalChecked(r, func([]byte) error { return nil }, func([]byte) error { return nil })
}

// piece is how many touched files are brought into canonical form at a time. The list can be long, and as a tree it
// would take many times the memory of its text.
const piece = 1000

// CanonicalChecked is [Canonical] that shows everything it writes to a check: the report without its files to whole,
// and the files, in lists of limited length, to list. The checks are called from several goroutines.
func CanonicalChecked(r *Report, whole, list func([]byte) error) ([]byte, error) {
	fillLists(r)
	head := *r
	head.Files = []File{}
	parts := [][]File{nil}
	for from := 0; from < len(r.Files); from += piece {
		parts = append(parts, r.Files[from:min(from+piece, len(r.Files))])
	}
	texts, err := inParallel(parts, func(files []File) ([]byte, error) {
		if files == nil {
			return canonical(&head, whole)
		}
		return canonical(files, list)
	})
	if err != nil {
		return nil, err
	}
	return insertFiles(texts[0], texts[1:]), nil
}

// canonical brings a value into canonical form.
func canonical(value any, check func([]byte) error) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("writing the report as JSON: %w", err)
	}
	text, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("bringing the report into canonical form: %w", err)
	}
	return text, check(text)
}

// inParallel maps a list on two goroutines, and keeps its order.
func inParallel[T any](list []T, f func(T) ([]byte, error)) ([][]byte, error) {
	results, failures := make([][]byte, len(list)), make([]error, len(list))
	next := make(chan int)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range next {
				results[i], failures[i] = f(list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	return results, errors.Join(failures...)
}

// insertFiles puts lists of files in the place of the empty one. No text can hold the key as it is looked for here: in
// a text its quotes would be escaped; and no other object has an empty list of that name.
func insertFiles(head []byte, lists [][]byte) []byte {
	const key = `"files":[`
	before, after, _ := bytes.Cut(head, []byte(key+"]"))
	out := append(append([]byte{}, before...), key...)
	for i, l := range lists {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, l[1:len(l)-1]...)
	}
	return append(append(out, ']'), after...)
}

// fillLists replaces nil slices: readers of the report need not know null from [].
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
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
