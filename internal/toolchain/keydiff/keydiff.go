// Package keydiff tells which keys differ between two versions of a file, for the manifests of which only some keys are protected.
package keydiff

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
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
	// changed tells which keys changed, sorted; before is nil when there was no file. An error says that a content is
	// malformed: then the changed keys are unknown.
	changed func(before, after []byte) ([]string, error)
}

// Kinds that several files have.
var (
	makefile       = &Kind{changed: makeKeys, Limit: 256 << 10, Cost: 16}
	msbuildProject = &Kind{changed: xmlKeys(projectKeys), Added: true, Limit: 4 << 20, Cost: 4}
	msbuildShared  = &Kind{changed: xmlKeys(sharedKeys), Added: true, Limit: 4 << 20, Cost: 4}
	gradleBuild    = &Kind{changed: lineKeys(&gradle), Added: true, Limit: 256 << 10, Cost: 64}
	gradleSettings = &Kind{changed: settingsKeys, Limit: 256 << 10, Cost: 64}
	ruffConfig     = &Kind{changed: checkerKeys("tool.ruff", ReadTOML), Limit: 128 << 10, Cost: 16}
	golangciConfig = &Kind{changed: checkerKeys("golangci", yamlTree), Limit: 128 << 10, Cost: 64}
	toolVersion    = &Kind{changed: versionKeys, Limit: 64 << 10, Cost: 1}
)

// kinds are the kinds by the name of the file, or by its extension. The time for a TOML file can grow with the square of its size.
var kinds = map[string]*Kind{
	"package.json":              {changed: packageKeys, Added: true, Limit: 4 << 20, Cost: 1},
	"composer.json":             {changed: composerKeys, Added: true, Limit: 4 << 20, Cost: 1},
	"go.mod":                    {changed: parts(directives), Limit: 4 << 20, Cost: 1},
	"pyproject.toml":            {changed: tomlKeys("", "project", "tool.poetry", "build-system"), Added: true, Limit: 128 << 10, Cost: 16},
	"Cargo.toml":                {changed: cargoKeys, Added: true, Limit: 128 << 10, Cost: 16},
	"Makefile":                  makefile,
	"makefile":                  makefile,
	"GNUmakefile":               makefile,
	"Justfile":                  makefile,
	"justfile":                  makefile,
	".justfile":                 makefile,
	"global.json":               {changed: globalKeys, Limit: 1 << 20, Cost: 1},
	".sln":                      {changed: solutionKeys, Limit: 4 << 20, Cost: 1},
	"tox.ini":                   {changed: toxKeys, Limit: 1 << 20, Cost: 1},
	"setup.cfg":                 {changed: iniKeys, Limit: 1 << 20, Cost: 1},
	"setup.py":                  {changed: lineKeys(&setupPy), Limit: 256 << 10, Cost: 64},
	"mix.exs":                   {changed: mixKeys, Limit: 256 << 10, Cost: 64},
	"gradle.properties":         {changed: lineKeys(&properties), Added: true, Limit: 256 << 10, Cost: 64},
	"settings.gradle":           gradleSettings,
	"settings.gradle.kts":       gradleSettings,
	"pnpm-workspace.yaml":       {changed: yamlKeysChanged, Limit: 128 << 10, Cost: 64},
	"pom.xml":                   {changed: xmlKeys(pomKeys), Added: true, Limit: 4 << 20, Cost: 4},
	".csproj":                   msbuildProject,
	".fsproj":                   msbuildProject,
	".vbproj":                   msbuildProject,
	"Directory.Packages.props":  {changed: xmlKeys(projectKeys), Limit: 4 << 20, Cost: 4},
	"Gemfile":                   {changed: lineKeys(&gemfile), Limit: 4 << 20, Cost: 1},
	".gradle":                   gradleBuild,
	".gradle.kts":               gradleBuild,
	".sbt":                      {changed: lineKeys(&sbt), Limit: 256 << 10, Cost: 64},
	".props":                    msbuildShared,
	".targets":                  msbuildShared,
	"requirements.txt":          {changed: lineKeys(&requirements), Limit: 4 << 20, Cost: 1},
	".go-version":               toolVersion,
	".nvmrc":                    toolVersion,
	".node-version":             toolVersion,
	".python-version":           toolVersion,
	".java-version":             toolVersion,
	".sdkmanrc":                 toolVersion,
	".ruby-version":             toolVersion,
	".bazelversion":             toolVersion,
	".tool-versions":            toolVersion,
	"rust-toolchain":            toolVersion,
	"rust-toolchain.toml":       toolVersion,
	"mise.toml":                 toolVersion,
	".mise.toml":                toolVersion,
	"gradle-wrapper.properties": toolVersion,
	"build.properties":          toolVersion,
	"ruff.toml":                 ruffConfig,
	".ruff.toml":                ruffConfig,
	".golangci.yml":             golangciConfig,
	".golangci.yaml":            golangciConfig,
	".rubocop*.yml":             {changed: checkerKeys("rubocop", yamlTree), Limit: 128 << 10, Cost: 64},
	".neon":                     {changed: neonKeys, Limit: 1 << 20, Cost: 8},
	"vite.config.*":             {changed: lineKeys(&vite), Added: true, Limit: 256 << 10, Cost: 64},
	".slnx":                     {changed: xmlKeys(solutionXMLKeys), Limit: 4 << 20, Cost: 4},
}

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

// Changed lists the keys that differ between two versions of a file, sorted; before is nil for a new file. The error is a
// *MalformedError.
func (k *Kind) Changed(before, after []byte) ([]string, error) {
	keys, err := k.changed(before, after)
	size := 0
	for _, key := range keys {
		size += len(key)
	}
	if err == nil && (len(keys) > maxKeys || size > maxKeysSize) {
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
func parts(read func(data []byte) (map[string]string, error)) func(before, after []byte) ([]string, error) {
	return func(before, after []byte) ([]string, error) {
		old, now, err := both(read, before, after)
		if err != nil {
			return nil, err
		}
		return changedParts(old, now), nil
	}
}

// members reads two versions of a JSON object; before is nil for a new file. A key that appears twice is an error: which value counts
// depends on the reader.
func members(before, after []byte) (old, now map[string]string, err error) {
	if before == nil {
		before = []byte("{}")
	}
	return both(topLevel, before, after)
}

// membersOf are [members] of the value of a key, whose absence is an empty object.
func membersOf(key string, old, now map[string]string) (was, is map[string]string, err error) {
	return members([]byte(cmp.Or(old[key], "{}")), []byte(cmp.Or(now[key], "{}")))
}

// composerKeys are [memberKeys] of a composer.json, with one part more where plugins have their settings; before is nil for a new file.
func composerKeys(before, after []byte) ([]string, error) {
	old, now, err := members(before, after)
	if err != nil {
		return nil, err
	}
	keys := memberKeys(old, now, 1, []string{"require", "require-dev"})
	for _, name := range []string{"extra", "config"} {
		at := slices.Index(keys, name)
		if at < 0 {
			continue
		}
		was, is, err := membersOf(name, old, now)
		if err != nil {
			continue // no object: the whole key
		}
		keys = slices.Delete(keys, at, at+1)
		for _, key := range differing(was, is) {
			keys = append(keys, name+"."+tomlKey(key))
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// memberKeys lists the members that differ, each as [tomlKey] writes it, and the dependencies in tables whose sources do. The values
// are JSON of a depth. What replaces versions of others by versions of a registry is left out, but for a new file.
func memberKeys(old, now map[string]string, depth int, tables []string) []string {
	keys := slices.DeleteFunc(differing(old, now), func(key string) bool {
		return (key == "overrides" || key == "resolutions") && len(old) > 0 && addSources(nil, key, jsonTable(old[key], depth), jsonTable(now[key], depth)) == nil
	})
	for i, key := range keys {
		keys[i] = tomlKey(key)
	}
	for _, table := range tables {
		if old[table] != now[table] {
			keys = addSources(keys, table, jsonTable(old[table], depth), jsonTable(now[table], depth))
		}
	}
	slices.Sort(keys)
	return keys
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
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	members := map[string]string{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		value = slices.Clone(value)
		if err := value.Compact(); err != nil {
			return nil, err
		}
		members[name] = string(value)
	}
	if _, err := d.ReadToken(); err != nil {
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
