package git

import "sync"

// cache keeps values that would have to be read again, up to a number of bytes. It has two generations: when the young
// one is full it becomes the old one, and the old one's values that were not used since are dropped. That is nearly
// least-recently-used, without lists. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
	used       int // bytes in the young generation
	half       int // capacity of a generation, in bytes
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

// replace replaces a value that was kept just now by one of the same weight.
func (c *cache[K, V]) replace(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[key]; ok {
		c.young[key] = value
	}
}

// add keeps a value in the young generation unless it would displace most of the others.
func (c *cache[K, V]) add(key K, value V) {
	weight := c.weigh(value)
	if weight > c.half/4 {
		return
	}
	if c.used+weight > c.half {
		c.old, c.young, c.used = c.young, map[K]V{}, 0
	}
	c.young[key] = value
	c.used += weight
}
