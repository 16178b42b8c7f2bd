package collect

import (
	"maps"
	"slices"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// yamlKeysChanged lists the keys of the top level whose values differ, sorted, each as [tomlKey] writes it.
func yamlKeysChanged(before, after []byte) ([]string, error) {
	old, err := evidence.YAMLMembers(before)
	if err != nil {
		return nil, err
	}
	now, err := evidence.YAMLMembers(after)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(old)
	maps.Copy(all, now)
	keys := []string{}
	for key := range all {
		was, before := old[key]
		is, after := now[key]
		if was != is || before != after {
			keys = append(keys, tomlKey(key))
		}
	}
	slices.Sort(keys)
	return keys, nil
}
