package keydiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

var (
	versionLine = input.Lazily(`^(?:([\w.:/-]+?)(?:\s*=\s*|\s+))?["']?(?:https\\?://services\.gradle\.org/distributions/gradle-|https\\?://repo\.maven\.apache\.org/maven2/org/apache/maven/(?:apache-maven|wrapper/maven-wrapper)/[\d.]+/(?:apache-maven|maven-wrapper)-)?v?(\d[\w.+-]*)["']?$`)
	// quietLine says nothing about what runs.
	quietLine = input.Lazily(`^(?:networkTimeout=\d+|validateDistributionUrl=true)$`)
	sumLine   = input.Lazily(`^((?:distribution|wrapper)Sha256Sum=)[0-9a-f]{64}$`)
)

// readVersions reads a file that says which version of a tool runs: versions, which may rise, and the rest.
func readVersions(text string) map[string]string {
	versions := map[string][]string{}
	var rest strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || (line[0] == '#' && !commentEnds(line)) || quietLine().MatchString(line) {
			continue
		}
		if m := sumLine().FindStringSubmatch(line); m != nil {
			line = m[1] // another sum than that of the version fails
		} else if m := versionLine().FindStringSubmatch(line); m != nil {
			line = cmp.Or(m[1], "the tool")
			versions[line] = append(versions[line], m[2]+"\n")
		}
		rest.WriteString(line + "\n")
	}
	parts := map[string]string{"content": rest.String()}
	for line, list := range versions {
		parts[lowerVersion+line] = strings.Join(list, "")
	}
	return parts
}

var (
	managerVersion = input.Lazily(`^"([a-z]+)@(\d[\d.]*)(?:[+-][\w.+-]*)?"$`)
	testScript     = input.Lazily(`(?i)test|check|verif|valid|cover|spec|lint|build|compile|type|tsc|e2e|unit|integration|audit|\b(?:ci|all|qa)\b|` +
		`^(?:pre|post)?(?:install|prepare|prepublish$|pack|dependencies)`)
	ownScript = input.Lazily(`(?i)^(?:test|vitest|eslint|tsc|(?:pre|post)?(?:install|prepare|pack|dependencies).*|prepublish|pnpm:devPreinstall)$`)
	// otherPattern is one that names scripts otherwise than by their start.
	otherPattern = input.Lazily(`\b(?:npm|pnpm|yarn|bun|node|deno):\S*\*|\brun\S*\s.*(?:[{(^]|\*[\w:*-]|[\s'"]\*|['"]/)`)
	scriptWord   = input.Lazily(`[\w:.-]+\*?`)
)

// packageKeys are [memberKeys] of a package.json: scripts that sound like tests or that such a script names, and the
// others, each by its name; and the version of the package manager, which may rise. before is nil for a new file.
func packageKeys(before, after []byte) ([]string, error) {
	old, now, err := members(before, after)
	if err != nil {
		return nil, err
	}
	keys := memberKeys(old, now, "dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
	if before == nil {
		return keys, nil
	}
	if at := slices.Index(keys, "packageManager"); at >= 0 {
		was, is := managerVersion().FindStringSubmatch(old["packageManager"]), managerVersion().FindStringSubmatch(now["packageManager"])
		if was != nil && is != nil && was[1] == is[1] && !isLower(was[2], is[2]) {
			keys = slices.Delete(keys, at, at+1)
		}
	}
	keys = expand(keys, "pnpm", old, now, func(was, is map[string]string, name string) string {
		if name == "overrides" && onlyVersions(name, was, is) {
			return "dependencies"
		}
		return "pnpm." + tomlKey(name)
	})
	keys = slices.DeleteFunc(keys, ownPackages(old, now))
	var tests [2]map[string]bool // of both versions
	return expand(keys, "scripts", old, now, func(was, is map[string]string, name string) string {
		if tests[0] == nil {
			tests[0], tests[1] = testScripts(was, nil), testScripts(is, was)
		}
		if tests[0][name] || tests[1][name] {
			return "scripts." + tomlKey(name)
		}
		return ecosystem.OtherScripts + name
	}), nil
}

var (
	ownName    = input.Lazily(`^"(@[\w.-]+/)[\w.-]+"$`)
	ofTable    = input.Lazily(`^source of (\w+)\."(@[\w.-]+/[\w.-]+)"$`)
	ownVersion = input.Lazily(`^"workspace:[\d^~*.]*"$`)
)

// ownPackages reports whether a key is about a package of the same scope as the project, before and after, which the
// workspace has before or after.
func ownPackages(old, now map[string]string) func(key string) bool {
	was, is := ownName().FindStringSubmatch(old["name"]), ownName().FindStringSubmatch(now["name"])
	tables := map[string]map[string]string{} // by their text, each read once
	return func(key string) bool {
		m := ofTable().FindStringSubmatch(key)
		if m == nil || was == nil || is == nil || was[1] != is[1] || !strings.HasPrefix(m[2], is[1]) {
			return false
		}
		for _, text := range []string{old[m[1]], now[m[1]]} {
			if tables[text] == nil {
				tables[text], _ = topLevel([]byte(text)) // no table: nothing
			}
			if version := tables[text][m[2]]; version != "" && !ownVersion().MatchString(version) && !isPlain(strings.Trim(version, `"`)) {
				return false
			}
		}
		return true
	}
}

// testScripts are the names of scripts that sound like tests, of those that they name, and of those that run before or
// after one. Of the scripts that were not there before, only those that a manager runs on its own sound like tests; nil
// for no such scripts.
func testScripts(scripts, before map[string]string) map[string]bool {
	for _, script := range scripts {
		if otherPattern().MatchString(script) {
			before = nil
		}
	}
	all := slices.Sorted(maps.Keys(scripts))
	var waiting []string
	names, seen := map[string]bool{}, map[string]bool{} // seen: the words that were followed
	add := func(name string) {
		if _, there := scripts[name]; there && !names[name] {
			names[name], waiting = true, append(waiting, name)
		}
	}
	for _, name := range all {
		if _, there := before[name]; (testScript().MatchString(name) && (there || before == nil)) || ownScript().MatchString(name) {
			add(name)
		}
	}
	for ; len(waiting) > 0; waiting = waiting[1:] {
		name := waiting[0]
		for _, word := range append(scriptWord().FindAllString(scripts[name], -1), "pre"+name, "post"+name) {
			if seen[word] {
				continue
			}
			seen[word] = true
			start, isPattern := strings.CutSuffix(word, "*")
			if at, _ := slices.BinarySearch(all, start); isPattern {
				for ; at < len(all) && strings.HasPrefix(all[at], start); at++ {
					add(all[at])
				}
			}
			add(word)
		}
	}
	return names
}
