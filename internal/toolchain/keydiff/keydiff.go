// Package keydiff tells which keys differ between two versions of a file, for the manifests of which only some keys are
// protected.
package keydiff

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/modfile"

	"github.com/closeout-gate/closeout/verify/input"
)

// Kind is a kind of files of which only some keys are protected.
type Kind struct {
	Added bool  // the keys of a new file matter
	Limit int64 // how large a file may be to be compared by its keys
	Cost  int64 // what reading a byte costs at worst, in bytes of JSON
	// changed lists them sorted; before is nil when there was no file. An error says that a content is malformed: then the
	// changed keys are unknown.
	changed reader
}

// reader tells which keys changed.
type reader = func(before, after []byte) ([]string, error)

// kinds are the kinds by the name of the file, or by its extension. The time for a TOML file can grow with the square
// of its size.
var kinds = func() map[string]*Kind {
	all := map[string]*Kind{}
	for _, row := range []struct {
		names   string
		changed reader
		added   bool
		limit   int64 // in KiB
		cost    int64
	}{
		{"package.json", packageKeys, true, 4 << 10, 1},
		{"composer.json", composerKeys, true, 4 << 10, 1},
		{"go.mod", parts(directives), false, 4 << 10, 1},
		{"pyproject.toml", tomlKeys("", "project", "tool.poetry", "build-system"), true, 128, 16},
		{"Cargo.toml", cargoKeys, true, 128, 16},
		{"global.json", parts(readGlobal), false, 1 << 10, 1},
		{".sln", solutionKeys, false, 4 << 10, 1},
		{".gitmodules", texts(readModules), false, 64, 16},
		{"tox.ini", iniKeys(true), false, 1 << 10, 1},
		{"setup.cfg", iniKeys(false), false, 1 << 10, 1},
		{"setup.py", lineKeys(&setupPy), false, 256, 64},
		{"mix.exs", texts(readMix), false, 256, 64},
		{"gradle.properties", lineKeys(&properties), true, 256, 64},
		{"settings.gradle settings.gradle.kts", texts(readSettings), false, 256, 64},
		{"pnpm-workspace.yaml", yamlKeysChanged, false, 128, 64},
		{"pom.xml", xmlKeys(pomKeys), true, 4 << 10, 4},
		{".csproj .fsproj .vbproj", xmlKeys(projectKeys), true, 4 << 10, 4},
		{"Directory.Packages.props", xmlKeys(projectKeys), false, 4 << 10, 4},
		{".props .targets", xmlKeys(sharedKeys), true, 4 << 10, 4},
		{".slnx", xmlKeys(solutionXMLKeys), false, 4 << 10, 4},
		{"Gemfile", lineKeys(&gemfile), false, 4 << 10, 1},
		{".gradle .gradle.kts", lineKeys(&gradle), true, 256, 64},
		{".sbt", lineKeys(&sbt), false, 256, 64},
		{"requirements.txt", lineKeys(&requirements), false, 4 << 10, 1},
		{".go-version .nvmrc .node-version .python-version .java-version .sdkmanrc .ruby-version .bazelversion .tool-versions " +
			"rust-toolchain rust-toolchain.toml mise.toml .mise.toml gradle-wrapper.properties maven-wrapper.properties build.properties", texts(readVersions), false, 64, 1},
		{"ruff.toml .ruff.toml", checkerKeys("tool.ruff", ReadTOML), false, 128, 16},
		{".golangci.yml .golangci.yaml", checkerKeys("golangci", yamlTree), false, 128, 64},
		{".rubocop*.yml", checkerKeys("rubocop", yamlTree), false, 128, 64},
		{".neon", texts(readNeon), false, 1 << 10, 8},
		{"vite.config.*", lineKeys(&vite), true, 256, 64},
	} {
		kind := &Kind{Added: row.added, Limit: row.limit << 10, Cost: row.cost, changed: row.changed}
		for name := range strings.FieldsSeq(row.names) {
			all[name] = kind
		}
	}
	return all
}()

// KindOf is the kind of the file at a path; nil for any other file.
func KindOf(name string) *Kind {
	if kind := kinds[path.Base(name)]; kind != nil {
		return kind
	}
	if stem, _, isConfig := strings.Cut(path.Base(name), ".config."); isConfig && kinds[stem+".config.*"] != nil {
		return kinds[stem+".config.*"]
	}
	if strings.HasPrefix(path.Base(name), ".rubocop") && strings.HasSuffix(name, ".yml") {
		return kinds[".rubocop*.yml"]
	}
	if stem, isKotlin := strings.CutSuffix(name, ".kts"); isKotlin {
		return kinds[path.Ext(stem)+".kts"]
	}
	return kinds[path.Ext(strings.TrimSuffix(name, ".dist"))]
}

const (
	maxKeys     = 1000     // keys that changed in one file
	maxKeysSize = 64 << 10 // bytes of them
)

// MalformedError says that a content is not what the name of the file promises, or that too many of its keys changed.
type MalformedError struct{ error }

// Changed lists the keys that differ between two versions of a file, sorted; before is nil for a new file. The error is
// a *MalformedError.
func (k *Kind) Changed(before, after []byte) ([]string, error) {
	keys, err := k.changed(before, after)
	if err == nil && (len(keys) > maxKeys || len(strings.Join(keys, "")) > maxKeysSize) {
		err = errors.New("too many keys changed")
	}
	if err != nil {
		return nil, &MalformedError{err}
	}
	return keys, nil
}

// both reads two versions of a file.
func both[T any](read func([]byte) (T, error), before, after []byte) (old, now T, err error) {
	if old, err = read(before); err == nil {
		now, err = read(after)
	}
	return old, now, err
}

// parts compares two versions of a file by their parts.
func parts(read func(data []byte) (map[string]string, error)) reader {
	return func(before, after []byte) ([]string, error) {
		old, now, err := both(read, before, after)
		if err != nil {
			return nil, err
		}
		return changedParts(old, now), nil
	}
}

// texts are [parts] of a text that has no error.
func texts(read func(text string) map[string]string) reader {
	return parts(func(data []byte) (map[string]string, error) { return read(string(data)), nil })
}

// members reads two versions of a JSON object; before is nil for a new file. A key that appears twice is an error:
// which value counts depends on the reader.
func members(before, after []byte) (old, now map[string]string, err error) {
	if before == nil {
		before = []byte("{}")
	}
	return both(topLevel, before, after)
}

// composerKeys are [memberKeys] of a composer.json, with one part more where plugins have their settings; before is nil
// for a new file.
func composerKeys(before, after []byte) ([]string, error) {
	old, now, err := members(before, after)
	if err != nil {
		return nil, err
	}
	keys := memberKeys(old, now, "require", "require-dev")
	for _, name := range []string{"extra", "config"} {
		keys = expand(keys, name, old, now, func(_, _ map[string]string, key string) string { return name + "." + tomlKey(key) })
	}
	return keys, nil
}

// expand puts in the place of a changed member the keys below it that differ, by their names, if both its values are
// objects.
func expand(keys []string, member string, old, now map[string]string, name func(was, is map[string]string, key string) string) []string {
	at := slices.Index(keys, member)
	if at < 0 {
		return keys
	}
	was, is, err := members([]byte(cmp.Or(old[member], "{}")), []byte(cmp.Or(now[member], "{}")))
	if err != nil {
		return keys // no object: the whole key
	}
	keys = slices.Delete(keys, at, at+1)
	for _, key := range differing(was, is) {
		keys = append(keys, name(was, is, key))
	}
	slices.Sort(keys)
	return keys
}

// memberKeys lists the members that differ, each as [tomlKey] writes it, and the dependencies in tables whose sources
// do. What replaces versions of others by versions of a registry is left out, but for a new file.
func memberKeys(old, now map[string]string, tables ...string) []string {
	keys := slices.DeleteFunc(differing(old, now), func(key string) bool {
		return (key == "overrides" || key == "resolutions") && len(old) > 0 && onlyVersions(key, old, now)
	})
	for i, key := range keys {
		keys[i] = tomlKey(key)
	}
	for _, table := range tables {
		if old[table] != now[table] {
			keys = addSources(keys, table, jsonTable(old[table], 1), jsonTable(now[table], 1))
		}
	}
	slices.Sort(keys)
	return keys
}

// onlyVersions reports whether a member replaces versions of others by versions of a registry alone, as far as it
// differs.
func onlyVersions(key string, old, now map[string]string) bool {
	return addSources(nil, key, leavesOf(jsonTable(old[key], 9)), leavesOf(jsonTable(now[key], 9))) == nil
}

// leavesOf are the members of a table and of those in it, by all keys on the way.
func leavesOf(v any) any {
	table, isTable := v.(map[string]any)
	if !isTable {
		return v
	}
	all := map[string]any{}
	for name, value := range table {
		name = strconv.Quote(short(name))
		if below, nested := leavesOf(value).(map[string]any); nested {
			for key, leaf := range below {
				all[name+key] = leaf
			}
		} else {
			all[name] = value
		}
	}
	return all
}

// differing lists the keys whose values differ, sorted. No value is empty, so a key that only one side has differs.
func differing(old, now map[string]string) []string {
	return slices.DeleteFunc(keysOf(old, now), func(key string) bool { return old[key] == now[key] })
}

// keysOf are the keys of two tables, sorted.
func keysOf[V any](old, now map[string]V) []string {
	all := slices.AppendSeq([]string{}, maps.Keys(old))
	for name := range now {
		if _, both := old[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// topLevel reads the members of a JSON object, each value without insignificant blanks.
func topLevel(data []byte) (map[string]string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if d.PeekKind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	d.ReadToken()
	members := map[string]string{}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		name := key.String()
		var value jsontext.Value
		if err == nil {
			value, err = d.ReadValue()
		}
		if value = slices.Clone(value); err != nil || value.Compact() != nil {
			return nil, cmp.Or(err, errors.New("a value is malformed"))
		}
		members[name] = string(value)
	}
	if _, err := d.ReadToken(); err != nil { // not the end of the object
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}

var goVersion = input.Lazily(`^(?:go)?\d+\.\d+(?:\.\d+)?$`)

// directives are the arguments of each directive of a go.mod, sorted and without comments.
func directives(data []byte) (map[string]string, error) {
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	lines := map[string][]string{}
	add := func(tokens []string) { lines[tokens[0]] = append(lines[tokens[0]], strings.Join(tokens[1:], " ")) }
	for _, statement := range f.Syntax.Stmt {
		switch s := statement.(type) {
		case *modfile.Line:
			add(s.Token)
		case *modfile.LineBlock:
			for _, line := range s.Line {
				add(append(slices.Clone(s.Token), line.Token...))
			}
		}
	}
	all, runs := map[string]string{}, "" // go runs in the higher version of two directives
	for name, list := range lines {
		slices.Sort(list)
		text := strings.Join(list, "\n")
		if (name == "go" || name == "toolchain") && goVersion().MatchString(text) {
			if text = strings.TrimPrefix(text, "go"); runs == "" || isLower(text, runs) {
				runs = text
			}
			if text = "a version"; name == "toolchain" {
				continue
			}
		}
		all[name] = text
	}
	if runs != "" {
		all[lowerVersion+"go"] = runs
	}
	return all, nil
}
