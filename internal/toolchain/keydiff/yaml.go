package keydiff

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// yamlKeysChanged lists the keys of the top level whose values differ, sorted, each as [tomlKey] writes it.
func yamlKeysChanged(before, after []byte) ([]string, error) {
	old, err := input.YAMLMembers(before)
	if err != nil {
		return nil, err
	}
	now, err := input.YAMLMembers(after)
	if err != nil {
		return nil, err
	}
	keys := differing(old, now)
	for i, key := range keys {
		keys[i] = tomlKey(key)
	}
	slices.Sort(keys)
	return keys, nil
}
