package github

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/google/go-github/v62/github"
)

// What [Objects.Prepare] reads. Each blob is a call, and a workflow's token has 1,000 calls an hour.
const (
	maxPrepared   = 200     // blobs: both versions of a hundred files
	maxPrepare    = 4 << 20 // bytes of a blob that are kept; no diff rule reads a larger one
	preparedAtOne = 8       // calls at a time
)

// Prepare reads blobs that will be asked for, several at a time. One that is too large to be kept is no error here.
func (o *Objects) Prepare(ids []string) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return o.blobs[id] != nil || o.large[id] })
	if len(ids) > maxPrepared {
		return &failure{
			text: fmt.Sprintf("without a checkout, the gate would have to ask GitHub for %d versions of files, and it asks for at most %d", len(ids), maxPrepared),
			fix:  "check out the repository with fetch-depth: 0 in the job of the gate, before the gate (with checkout: true, the workflow to call does that), or split the change",
		}
	}
	data, errs, large := make([][]byte, len(ids)), make([]error, len(ids)), make([]bool, len(ids))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(preparedAtOne, len(ids)) {
		group.Go(func() {
			for i := range next {
				data[i], errs[i] = o.download(ids[i])
				if large[i] = isLarge(errs[i]) || len(data[i]) > maxPrepare; large[i] {
					data[i] = nil
				}
			}
		})
	}
	for i := range ids {
		next <- i
	}
	close(next)
	group.Wait()
	for i, id := range ids {
		switch {
		case large[i]:
			o.large[id] = true
		case errs[i] != nil:
			return o.fail(errs[i])
		default:
			o.blobs[id] = data[i]
		}
	}
	return nil
}

// isLarge reports whether a blob could not be read because of its size.
func isLarge(err error) bool {
	var none *unanswered
	if errors.As(err, &none) {
		return none.large
	}
	var refused *github.ErrorResponse
	return errors.As(err, &refused) && status(err) == http.StatusForbidden &&
		slices.ContainsFunc(refused.Errors, func(e github.Error) bool { return e.Code == "too_large" })
}
