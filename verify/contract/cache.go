package contract

import (
	"crypto/sha256"
	"sync"

	"github.com/closeout-gate/closeout/verify/input"
)

// Cache keeps the contracts that a process has parsed, so that each is parsed once however many decisions it is part of. A contract
// is found by the digest of the bytes that were read, so bytes that changed since are parsed. A nil cache keeps nothing.
type Cache struct {
	mu    sync.Mutex
	known map[parsing]*Contract
	text  int // bytes of all of them
}

// parsing is all that a contract without errors depends on. Errors also depend on the name, so they are not kept.
type parsing struct {
	sha256 [sha256.Size]byte
	yaml   bool
	limits input.Limits
}

// maxCached is how many bytes of text a cache keeps as contracts: about ten thousand items of a list.
const maxCached = 4 << 20

// Parse is [Parse], unless the cache has the contract. Contracts of a cache are shared: they must not be modified.
func (c *Cache) Parse(name string, data []byte, limits input.Limits) (*Contract, *input.Errors) {
	if c == nil {
		return Parse(name, data, limits)
	}
	key := parsing{sha256.Sum256(data), isYAML(name), limits}
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept := c.known[key]; kept != nil {
		return kept, &input.Errors{}
	}
	parsed, errs := Parse(name, data, limits)
	if parsed == nil || errs.Any() || c.text+len(data) > maxCached {
		return parsed, errs
	}
	if c.known == nil {
		c.known = map[parsing]*Contract{}
	}
	c.known[key], c.text = parsed, c.text+len(data)
	return parsed, errs
}

// Len is how many contracts the cache keeps.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}
