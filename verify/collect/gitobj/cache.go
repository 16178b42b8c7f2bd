package gitobj

import "sync"

// cache keeps values that cost a read to get again, up to a number of bytes. It has two generations: when the young one
// is full it becomes the old one, and what nobody has asked for since then is forgotten. That is nearly
// least-recently-used, without its lists. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
	held       int // bytes in the young generation
	half       int // bytes that a generation may hold
	weigh      func(V) int
}

func newCache[K comparable, V any](limit int, weigh func(V) int) *cache[K, V] {
	return &cache[K, V]{young: map[K]V{}, half: limit / 2, weigh: weigh}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.young[key]
	if ok {
		return value, true
	}
	value, ok = c.old[key]
	if ok {
		c.add(key, value)
	}
	return value, ok
}

func (c *cache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; !ok {
		c.add(key, value)
	}
}

// add keeps a value in the young generation, if it is not so large that it would push out everything else.
func (c *cache[K, V]) add(key K, value V) {
	weight := c.weigh(value)
	if weight > c.half/4 {
		return
	}
	if c.held+weight > c.half {
		c.old, c.young, c.held = c.young, map[K]V{}, 0
	}
	c.young[key] = value
	c.held += weight
}
