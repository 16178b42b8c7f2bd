package git

import (
	"errors"
	"fmt"
)

// maxChain is how many deltas may be applied one after the other. Git writes chains of 50, and 4,095 at the most.
const maxChain = 10_000

// place is where an object is stored: in a pack, or in a file of its own when pack is nil.
type place struct {
	pack   *packFile
	offset int64
	loose  string
}

// object is what was read. Its content is shared and must not be changed.
type object struct {
	kind    objectType
	content []byte
	checked ID // that the content was found to have; zero before
}

// chain is the delta of the requested object, and the deltas between it and an object that is stored whole.
type chain struct {
	store  *store
	limits limits
	id     ID // of the requested object
	deltas []place
	heads  []header
}

// read reads an object and applies its deltas.
func (s *store) read(id ID, at place, l limits) (object, error) {
	if at.pack == nil {
		return readLoose(id, at, l)
	}
	if found, ok := s.bases.get(at); ok {
		return found, l.admit(found.kind, id, int64(len(found.content)))
	}
	c := &chain{store: s, limits: l, id: id}
	base, err := c.descend(at)
	if err != nil {
		return object{}, err
	}
	return c.ascend(base)
}

// descend collects deltas until it reaches an object that is stored whole, and reads that.
func (c *chain) descend(at place) (object, error) {
	for {
		if at.pack == nil {
			return readLoose(c.id, at, c.baseLimits())
		}
		if found, ok := c.store.bases.get(at); ok {
			return found, nil
		}
		h, err := at.pack.header(at.offset)
		if err != nil {
			return object{}, err
		}
		if h.code < offsetDelta {
			return c.readBase(at, h)
		}
		if len(c.deltas) == maxChain {
			return object{}, at.pack.damagedAt(at.offset, fmt.Sprintf("its delta chain is a cycle or longer than %d", maxChain))
		}
		c.deltas, c.heads = append(c.deltas, at), append(c.heads, h)
		if at, err = c.base(at, h); err != nil {
			return object{}, err
		}
	}
}

// base finds the object that a delta applies to, first in the same pack.
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
		err = at.pack.damagedAt(at.offset, "its delta base "+h.refer.String()+" is missing")
	}
	return base, err
}

// readBase reads an object that is not a delta.
func (c *chain) readBase(at place, h header) (object, error) {
	k := objectType(h.code)
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
	c.store.bases.put(at, object{kind: k, content: content})
	return object{kind: k, content: content}, nil
}

// baseLimits are the limits of delta bases: the base of a small object may be larger than the object.
func (c *chain) baseLimits() limits { return limits{blob: max(c.limits.blob, deltaLimit)} }

// ascend applies the deltas, the last first.
func (c *chain) ascend(base object) (object, error) {
	for i := len(c.deltas) - 1; i >= 0; i-- {
		l := c.limits
		if i > 0 {
			l = c.baseLimits()
		}
		content, err := c.apply(base, i, l.limitOf(base.kind))
		if err != nil {
			return object{}, err
		}
		base.content, base.checked = content, ID{}
		c.store.bases.put(c.deltas[i], base)
	}
	return base, nil
}

func (c *chain) apply(base object, i int, limit int64) ([]byte, error) {
	at, h := c.deltas[i], c.heads[i]
	if most := c.baseLimits().blob; h.size > most {
		return nil, &TooLarge{What: "bytes in a delta of " + base.kind.String() + " " + c.id.String(), Limit: most}
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
