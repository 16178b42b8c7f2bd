package keydiff

import (
	"fmt"
	"slices"
	"strings"
)

// cargoKeys are the keys of a Cargo.toml. Dependencies of one target are dependencies. A feature may grow, by what is
// no feature yet: tests are often left out where another one is on.
func cargoKeys(before, after []byte) ([]string, error) {
	keys, err := tomlKeys("", "workspace")(before, after)
	if err != nil {
		return nil, err
	}
	old, _ := ReadTOML(before) // as above
	now, _ := ReadTOML(after)
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "target" || strings.HasPrefix(key, "target.") })
	was, is := tomlTable(old, "target"), tomlTable(now, "target")
	for _, target := range keysOf(was, is) {
		a, okWas := asTable(was[target])
		b, okIs := asTable(is[target])
		if !okWas || !okIs {
			keys = append(keys, "target."+tomlKey(target))
			continue
		}
		for _, key := range tomlDiff(nil, "target.", a, b, 1, nothing) {
			keys = append(keys, key)
			name := strings.TrimPrefix(key, "target.")
			keys = addSources(keys, key, a[name], b[name])
		}
	}
	if !tableGrows(tomlTable(old, "features"), tomlTable(now, "features")) {
		keys = append(keys, fewer+"features")
	}
	if was := tomlTable(old, "workspace.package")["edition"]; was != nil && !rises(was, tomlTable(now, "workspace.package")["edition"]) {
		keys = append(keys, lowerVersion+"edition")
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// asTable is a table, or an empty one for nothing.
func asTable(v any) (map[string]any, bool) {
	if v == nil {
		return nil, true
	}
	table, ok := v.(map[string]any)
	return table, ok
}

// namesDependency reports whether a part of a feature turns on a dependency or a feature of one, and no feature of the
// package.
func namesDependency(part any) bool {
	text, _ := part.(string)
	return strings.HasPrefix(text, "dep:") || strings.Contains(text, "?/")
}

// tableGrows reports whether no feature lost a feature, the default did not change, and what features gained was no
// feature before.
func tableGrows(old, now map[string]any) bool {
	if fmt.Sprint(old["default"]) != fmt.Sprint(now["default"]) {
		return false
	}
	for name, was := range old {
		parts, isList := was.([]any)
		if !isList || now[name] == nil || !gains(slices.DeleteFunc(slices.Clone(parts), namesDependency), now[name]) {
			return false
		}
		there := entries(parts)
		for _, part := range now[name].([]any) {
			text, isText := part.(string)
			if _, known := old[text]; !isText || (known && !there[entryKey(part)]) {
				return false
			}
		}
	}
	return true
}
