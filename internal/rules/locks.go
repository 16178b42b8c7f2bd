package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// findLockHost finds servers that a lock file did not load packages from before.
func findLockHost(c *Change, report func(Hit)) {
	known := map[string]bool{}
	for _, f := range c.locks() {
		for _, s := range sourcesOf(f.Base) {
			known[s.host] = true
		}
	}
	for _, f := range c.locks() {
		newHosts(f, known, report)
	}
}

// findLockIntegrity finds packages whose content is another one, although their version is the same.
func findLockIntegrity(c *Change, report func(Hit)) {
	for _, f := range c.locks() {
		if f.Base != nil && f.Head != nil {
			otherContent(f, report)
		}
	}
}

// lockNames are the names of the lock files that are read.
const lockNames = ` package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock cargo.lock poetry.lock uv.lock pdm.lock gemfile.lock composer.lock go.sum `

func (c *Change) locks() []*File {
	var list []*File
	for _, f := range c.Files {
		if isIn(strings.ToLower(path.Base(f.Path)), lockNames) && !foreign(f.Path) {
			list = append(list, f)
		}
	}
	return list
}

// lockSource is where a lock file loads a package from.
type lockSource struct {
	host string // with the scheme, when that is not encrypted
	line int
}

// sourceKeys are in the lines that say where a package comes from; others name home pages and sponsors.
var sourceKeys = []string{`"resolved":`, `resolved "`, "url = ", "registry = ", "git = ", "source = ", "remote: ",
	"tarball: ", "resolution: ", "registry: "}

// sourcesOf lists the servers that a version of a lock file names.
func sourcesOf(v *source.File) []lockSource {
	if v == nil {
		return nil
	}
	var list []lockSource
	base := strings.ToLower(path.Base(v.Path))
	n, before := 0, []byte(nil)
	for line := range bytes.Lines(v.Text) {
		n++
		isSource := base == "bun.lock" || has(line, sourceKeys...)
		if base == "composer.lock" {
			isSource = has(line, `"url":`) && has(before, `"type":`)
		}
		if isSource && has(line, "://") && string(bytes.TrimSpace(line)) != cratesIndex {
			list = appendHosts(list, line, n)
		}
		before = line
	}
	return list
}

// appendHosts appends the servers of the addresses of a line.
func appendHosts(list []lockSource, line []byte, n int) []lockSource {
	for {
		i := bytes.Index(line, []byte("://"))
		if i < 0 {
			return list
		}
		scheme := line[:i]
		line = line[i+len("://"):]
		end := bytes.IndexAny(line, "/\"'#?} \r\n")
		if end < 0 {
			end = len(line)
		}
		host := string(line[:min(end, 255)])
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			host = host[at+1:]
		}
		if host = strings.ToLower(host); ends(scheme, "http") {
			host = "http://" + host
		}
		if len(list) == 0 || list[len(list)-1].host != host {
			list = append(list, lockSource{host, n})
		}
	}
}

// cratesIndex is how a lock file of cargo names the registry.
const cratesIndex = `source = "registry+https://github.com/rust-lang/crates.io-index"`

// registries are the servers that package managers ask without being told.
const registries = ` registry.npmjs.org registry.yarnpkg.com files.pythonhosted.org pypi.org rubygems.org index.rubygems.org crates.io index.crates.io static.crates.io ` +
	`api.github.com codeload.github.com repo.packagist.org npm.jsr.io `

func newHosts(f *File, known map[string]bool, report func(Hit)) {
	var found firstNames
	for _, s := range sourcesOf(f.Head) {
		isUsual := s.host == "" || isIn(s.host, registries) || (s.host == "github.com" && path.Base(f.Path) == "composer.lock")
		if isUsual || known[s.host] {
			continue
		}
		known[s.host] = true
		found.add(s.host, s.line)
	}
	if len(found.names) > 0 {
		report(f.hit(0, found.line, "", "packages come from "+listed(found.names)+", which the lock file did not name before",
			"load the packages from the registry that the project uses, or let a person approve the server"))
	}
}

// lockSum is the checksum of a package.
type lockSum struct {
	key, sum string // name and version; algorithm and value
	line     int
}

// otherContent compares the checksums of both versions of a lock file.
func otherContent(f *File, report func(Hit)) {
	known := map[string][]lockSum{}
	for _, s := range sumsOf(f.Base) {
		known[s.key] = append(known[s.key], s)
	}
	var found firstHit
	for _, s := range sumsOf(f.Head) {
		old := known[s.key]
		same := slices.ContainsFunc(old, func(o lockSum) bool { return o.sum == s.sum })
		other := slices.IndexFunc(old, func(o lockSum) bool { return algorithm(o.sum) == algorithm(s.sum) })
		if !same && other >= 0 { // else there was none by this algorithm
			found.add(f.hit(old[other].line, s.line, s.key, s.key+" has another checksum at the same version",
				"find out why the content changed, or restore the checksum"))
		}
	}
	found.report(report)
}

func algorithm(sum string) string {
	return sum[:max(0, strings.IndexAny(sum, "-:/="))]
}

// maxSums is how many packages of a lock file are compared.
const maxSums = 200_000

// sumsOf lists the checksums of a version of a lock file.
func sumsOf(v *source.File) []lockSum {
	var list []lockSum
	name, version, n := "", "", 0
	base := strings.ToLower(path.Base(v.Path))
	for raw := range bytes.Lines(v.Text) {
		n++
		line := string(bytes.TrimSpace(raw[:min(len(raw), maxShellLine)]))
		add := func(key, sum string) {
			if key != "" && algorithm(sum) != "" && len(list) < maxSums {
				list = append(list, lockSum{key, sum, n})
			}
		}
		switch base {
		case "go.sum":
			if words := strings.Fields(line); len(words) == 3 {
				add(words[0]+" "+words[1], words[2])
			}
		case "package-lock.json", "npm-shrinkwrap.json":
			key, value, _ := strings.Cut(line, ":")
			switch key = strings.Trim(key, `"`); {
			case ends(line, "{"):
				if _, last, ok := cutAtLast(key, "node_modules/"); ok {
					key = last
				}
				name, version = key, ""
			case key == "version":
				version = lockText(value)
			case key == "integrity" && version != "":
				add(name+" "+version, lockText(value))
			}
		case "yarn.lock":
			key, value, _ := strings.Cut(strings.Replace(line, ": ", " ", 1), " ")
			switch {
			case ends(line, ":") && raw[0] != ' ':
				name, _, _ = cutAtLast(strings.Trim(strings.TrimSuffix(strings.Split(line, ",")[0], ":"), `"`), "@")
				version = ""
			case key == "version":
				version = lockText(value)
			case oneOf(key, "integrity", "checksum") && version != "":
				add(name+" "+version, lockText(value))
			}
		case "pnpm-lock.yaml":
			if _, sum, ok := strings.Cut(line, "integrity: "); ok {
				add(name, strings.TrimRight(strings.Split(sum, ",")[0], "}"))
			} else if ends(line, ":") {
				name = strings.Trim(strings.TrimSuffix(line, ":"), `'"/`)
			}
		case "gemfile.lock":
			if key, sum, ok := strings.Cut(line, " sha256="); ok {
				add(key, "sha256="+sum)
			}
		default:
			name, version = tomlSum(line, name, version, add)
		}
	}
	return list
}

// tomlSum reads a line of the lock file of cargo, uv, poetry or PDM.
func tomlSum(line, name, version string, add func(key, sum string)) (string, string) {
	switch key, value, _ := strings.Cut(line, " = "); key {
	case "name":
		return lockText(value), ""
	case "version":
		return name, lockText(value)
	case "checksum":
		add(name+" "+version, "sha256:"+lockText(value))
	default:
		_, sum, ok := strings.Cut(line, `hash = "`)
		_, file, is := strings.Cut(line, `url = "`)
		if !is {
			_, file, is = strings.Cut(line, `file = "`)
		}
		if ok && is {
			file, _, _ = strings.Cut(file, `"`)
			sum, _, _ = strings.Cut(sum, `"`)
			add(path.Base(file), sum)
		}
	}
	return name, version
}

func lockText(value string) string { return strings.Trim(value, `", `) }
