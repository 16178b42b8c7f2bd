package keydiff

import (
	"maps"
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// yamlKeysChanged lists the keys of the top level whose values differ, sorted, each as [tomlKey] writes it, and the
// entries of catalogs whose sources do.
func yamlKeysChanged(before, after []byte) ([]string, error) {
	old, now, err := both(input.YAMLMembers, before, after)
	if err != nil {
		return nil, err
	}
	keys := memberKeys(old, now, "catalog")
	if old["catalogs"] != now["catalogs"] {
		a, _ := jsonTable(old["catalogs"], 2).(map[string]any)
		b, _ := jsonTable(now["catalogs"], 2).(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(b)) {
			keys = addSources(keys, "catalogs."+tomlKey(name), a[name], b[name])
		}
	}
	slices.Sort(keys)
	return keys, nil
}
