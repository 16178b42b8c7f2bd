package keydiff

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/closeout-gate/closeout/verify/input"
)

// tomlKeyDepth is how many parts a changed key has at most: "tool.poetry.dependencies", not what is below.
const tomlKeyDepth = 3

// tomlLineDots is how many dots a line may have. The library's time and stack grow with the parts of a dotted key.
const tomlLineDots = 1000

// tomlKeys lists the keys whose values differ, as TOML writes dotted keys, to a depth of three, and the dependencies whose sources
// do, below these tables. Values are compared as they are read: order, comments, blanks, and tables in another notation are no change.
func tomlKeys(tables ...string) reader {
	return func(before, after []byte) ([]string, error) {
		old, now, err := both(ReadTOML, before, after)
		if err != nil {
			return nil, err
		}
		ruffLint(tomlTable(old, "tool.ruff"), tomlTable(now, "tool.ruff"))
		ruffLint(tomlTable(now, "tool.ruff"), tomlTable(old, "tool.ruff"))
		keys := tomlDiff([]string{}, "", old, now, tomlKeyDepth, stricter)
		for _, table := range tables {
			was, is := tomlTable(old, table), tomlTable(now, table)
			for _, name := range dependencyTables {
				keys = addSources(keys, strings.TrimPrefix(table+"."+name, "."), was[name], is[name])
			}
		}
		slices.Sort(keys)
		return keys, nil
	}
}

// ruffLint moves settings of ruff to where another version of the file has them: below lint, as newer versions of ruff
// want it.
func ruffLint(ruff, other map[string]any) {
	there := tomlTable(other, "lint")
	for _, name := range strings.Fields("select extend-select ignore per-file-ignores isort pydocstyle pycodestyle mccabe") {
		lint := tomlTable(ruff, "lint")
		if ruff[name] == nil || there[name] == nil || other[name] != nil || lint[name] != nil || (ruff["lint"] != nil && lint == nil) {
			continue
		}
		if lint == nil {
			lint = map[string]any{}
			ruff["lint"] = lint
		}
		lint[name] = ruff[name]
		delete(ruff, name)
	}
}

// dependencyTables are the names of tables and lists of dependencies, those of groups included.
var dependencyTables = []string{"dependencies", "dev-dependencies", "build-dependencies", "optional-dependencies", "dependency-groups", "group", "requires"}

// tomlTable follows a dotted key; nil when there is no table.
func tomlTable(root map[string]any, key string) map[string]any {
	for name := range strings.SplitSeq(key, ".") {
		if name != "" {
			root, _ = root[name].(map[string]any)
		}
	}
	return root
}

// ReadTOML reads a TOML document. The time can grow with the square of its size, which the caller limits.
func ReadTOML(data []byte) (map[string]any, error) {
	for line := range bytes.Lines(data) {
		if bytes.Count(line, []byte(".")) > tomlLineDots {
			return nil, errors.New("a line has too many dots")
		}
	}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return nil, errors.New("it begins with a byte order mark, which TOML does not have")
	}
	table := map[string]any{}
	// Python's reader turns the line ends of Windows into line feeds, in texts over several lines too.
	return table, toml.Unmarshal(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), &table)
}

// tomlDiff appends the keys below prefix whose values differ, but for what is free; a missing value is an empty table. A key itself is
// listed when there are no keys below it, or none within the depth: an added or removed empty table, too.
func tomlDiff(keys []string, prefix string, old, now map[string]any, depth int, free func(key string, old, now any) bool) []string {
	for _, name := range keysOf(old, now) {
		was, there := old[name]
		is, still := now[name]
		a, isTable := asTable(was)
		b, both := asTable(is)
		below := free
		if (prefix == "tool." || name == "ini_options") && there != still {
			below = nothing // another file, or one of a directory above, counts where the section is not
		}
		switch key := prefix + tomlKey(name); {
		case there == still && reflect.DeepEqual(was, is):
		case depth > 1 && isTable && both && len(a)+len(b) > 0:
			keys = tomlDiff(keys, key+".", a, b, depth-1, below)
		case !below(key, was, is):
			keys = append(keys, key)
		}
	}
	return keys
}

func nothing(string, any, any) bool { return false }

var tomlBareKey = input.Lazily(`^[A-Za-z0-9_-]+$`)

// tomlKey writes one part of a key: in quotes where it could be taken for several.
func tomlKey(name string) string {
	if tomlBareKey().MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
