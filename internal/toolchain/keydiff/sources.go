package keydiff

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// sourceOf begins the key of a dependency that comes, or came, from elsewhere than a registry. No list of harmless keys
// has it.
const sourceOf = "source of "

// plainVersion is a version or range of versions of a registry, in any ecosystem: also a tag, a catalog of pnpm and a
// property of Maven.
var plainVersion = input.Lazily(`^(?:[\s,|^~<>=!\[(-]*(?:v?\d[\w.+*-]*|[xX*]|\$\{[\w.-]+\}|\$\(\w+\))(?:@[a-z]+)?[\s,)\]]*)*$|^[A-Za-z]+\d*$|^catalog:[\w-]*$`)

// archive is the name of a file, for which npm and pip take it even if it looks like a version or a package.
var archive = input.Lazily(`(?i)\.(?:tar|t?gz|zip|whl|t?bz2?|t?xz|tlz|lz|lzma)\b`)

func isPlain(version string) bool {
	return plainVersion().MatchString(version) && !archive().MatchString(version)
}

// harmlessOptions of a dependency do not say where it comes from.
var harmlessOptions = strings.Fields("features optional default-features default_features extras markers python platform allow-prereleases workspace include-group")

// source is what a dependency says beside a version of a registry; nil for nothing. A text in a list is a requirement
// of Python.
func source(v any, inList bool) any {
	switch v := v.(type) {
	case string:
		if (inList && !strings.Contains(v, "@")) || (!inList && isPlain(v)) {
			return nil
		}
		if at := strings.LastIndexByte(v, '@'); strings.HasPrefix(v, "npm:") && at > 0 && isPlain(v[at+1:]) {
			return v[:at] // the name behind an alias
		}
	case []any:
		var list []any
		for _, item := range v {
			if s := source(item, true); s != nil {
				list = append(list, s)
			}
		}
		if list == nil {
			return nil
		}
		return list
	case map[string]any:
		rest := map[string]any{}
		for key, value := range v {
			dependencies, isTable := value.(map[string]any)
			version, _ := value.(string)
			switch {
			case slices.Contains(harmlessOptions, key), key == "version" && isPlain(version):
			case key == "dependencies" && isTable: // of a group of Poetry
				for name, d := range dependencies {
					if s := source(d, false); s != nil {
						rest[name] = s
					}
				}
			default:
				rest[key] = value
			}
		}
		if len(rest) == 0 {
			return nil
		}
		return rest
	}
	return v
}

// addSources appends a key for each dependency of a table, or for the list of them, whose source differs.
func addSources(keys []string, table string, old, now any) []string {
	a, isTable := old.(map[string]any)
	b, both := now.(map[string]any)
	if (!isTable && old != nil) || (!both && now != nil) {
		if sourceCounts(source(old, false), source(now, false)) {
			keys = append(keys, sourceOf+table)
		}
		return keys
	}
	for _, name := range keysOf(a, b) {
		if sourceCounts(source(a[name], false), source(b[name], false)) {
			keys = append(keys, sourceOf+table+"."+tomlKey(name))
		}
	}
	return keys
}

// sourceCounts reports whether what two versions say about a source differs, but for a repository of git that is gone:
// what is left is a version of a registry, or nothing. A path may be the code that is tested.
func sourceCounts(old, now any) bool {
	if list, ok := old.([]any); ok {
		left, _ := now.([]any)
		there := entries(left)
		return !within(now, old) || slices.ContainsFunc(list, func(s any) bool { return !there[entryKey(s)] && !isGit(s) })
	}
	return !reflect.DeepEqual(old, now) && (now != nil || !isGit(old))
}

var gitSource = input.Lazily(`^(?:[\w.-]+(?:\[[\w,. -]*\])?\s*@\s*)?(?:git(?:\+https|\+ssh)?://|(?:git@)?github(?:\.com)?:)[^;\s]+$`)

// isGit reports whether a source is a repository of git and nothing else.
func isGit(source any) bool {
	switch s := source.(type) {
	case string:
		return gitSource().MatchString(s)
	case map[string]any:
		url, _ := s["git"].(string)
		for key := range s {
			if !slices.Contains([]string{"git", "rev", "tag", "branch"}, key) {
				return false
			}
		}
		return strings.HasPrefix(url, "https://")
	}
	return false
}

// jsonTable reads a value of JSON: an object by its members, down to a depth. What is no text stays as it is written,
// which is no version.
func jsonTable(raw string, depth int) any {
	var text string
	switch {
	case raw == "":
		return nil
	case json.Unmarshal([]byte(raw), &text) == nil && raw[0] == '"':
		return text
	case depth == 0 || raw[0] != '{':
		return raw
	}
	members, err := topLevel([]byte(raw))
	if err != nil {
		return raw
	}
	table := make(map[string]any, len(members))
	for name, value := range members {
		table[name] = jsonTable(value, depth-1)
	}
	return table
}
