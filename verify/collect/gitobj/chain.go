package gitobj

import (
	"errors"
	"fmt"
)

// maxChain is how many deltas may be applied one after the other. Git writes chains of 50, and 4,095 at the most.
const maxChain = 10_000

// place is where an object lies: in a pack, or in a file of its own when pack is nil.
type place struct {
	pack   *packFile
	offset int64
	loose  string
}

func (p place) key() baseKey { return baseKey{p.pack, p.offset} }

// object is what was read: its content is shared and must not be written to.
type object struct {
	kind    kind
	content []byte
}

// chain is a delta that must be applied, and those that lead from it to an object that is none.
type chain struct {
	store  *store
	limits limits
	id     ID // of the object that was asked for
	deltas []place
	heads  []header
}

// unpack reads an object from a pack, through all deltas.
func (s *store) unpack(id ID, at place, l limits) (object, error) {
	if found, ok := s.bases.get(at.key()); ok {
		return found, l.admit(found.kind, id, int64(len(found.content)))
	}
	c := &chain{store: s, limits: l, id: id}
	base, err := c.descend(at)
	if err != nil {
		return object{}, err
	}
	return c.ascend(base)
}

// descend follows deltas to the object that they begin with.
func (c *chain) descend(at place) (object, error) {
	for {
		if at.pack == nil {
			return c.store.readLoose(c.id, at.loose, c.baseLimits())
		}
		if found, ok := c.store.bases.get(at.key()); ok {
			return found, nil
		}
		h, err := at.pack.header(at.offset)
		if err != nil {
			return object{}, err
		}
		if h.code < offsetDelta {
			return c.whole(at, h)
		}
		if len(c.deltas) == maxChain {
			return object{}, at.pack.damagedAt(at.offset, fmt.Sprintf("a chain of deltas is longer than %d, or has no end", maxChain))
		}
		c.deltas, c.heads = append(c.deltas, at), append(c.heads, h)
		if at, err = c.base(at, h); err != nil {
			return object{}, err
		}
	}
}

// base finds what a delta is applied to, first in the same pack.
func (c *chain) base(at place, h header) (place, error) {
	if h.code == offsetDelta {
		return place{pack: at.pack, offset: h.base}, nil
	}
	if at.pack.index != nil {
		offset, ok, err := at.pack.index.offset(h.refer)
		if ok || err != nil {
			return place{pack: at.pack, offset: offset}, err
		}
	}
	base, ok, err := c.store.find(h.refer)
	if err == nil && !ok {
		err = at.pack.damagedAt(at.offset, "the base of its delta, "+h.refer.String()+", is missing")
	}
	return base, err
}

// whole reads an object that is no delta.
func (c *chain) whole(at place, h header) (object, error) {
	k := kind(h.code)
	l := c.limits
	if len(c.deltas) > 0 {
		l = c.baseLimits()
	}
	if err := l.admit(k, c.id, h.size); err != nil {
		return object{}, err
	}
	content, err := at.pack.inflate(h)
	if err != nil {
		return object{}, err
	}
	c.store.bases.put(at.key(), object{k, content})
	return object{k, content}, nil
}

// baseLimits are those of the objects that deltas lead to: the base of a small object may be larger than it.
func (c *chain) baseLimits() limits { return limits{blob: max(c.limits.blob, deltaLimit)} }

// ascend applies the deltas, the last first.
func (c *chain) ascend(base object) (object, error) {
	for i := len(c.deltas) - 1; i >= 0; i-- {
		l := c.limits
		if i > 0 {
			l = c.baseLimits()
		}
		content, err := c.apply(base, i, l.of(base.kind))
		if err != nil {
			return object{}, err
		}
		base.content = content
		c.store.bases.put(c.deltas[i].key(), base)
	}
	return base, nil
}

func (c *chain) apply(base object, i int, limit int64) ([]byte, error) {
	at, h := c.deltas[i], c.heads[i]
	if h.size > max(c.limits.blob, deltaLimit) {
		return nil, &TooLarge{What: "bytes in a delta of " + base.kind.String() + " " + c.id.String(), Limit: max(c.limits.blob, deltaLimit)}
	}
	delta, err := at.pack.inflate(h)
	if err != nil {
		return nil, err
	}
	content, err := applyDelta(base.content, delta, limit)
	if errors.Is(err, errDeltaLarge) {
		return nil, &TooLarge{What: "bytes in " + base.kind.String() + " " + c.id.String(), Limit: limit}
	}
	if err != nil {
		return nil, at.pack.damagedAt(at.offset, err.Error())
	}
	return content, nil
}
