package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// lockNames are the names of the lock files that are read.
const lockNames = ` package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock cargo.lock poetry.lock uv.lock pdm.lock gemfile.lock composer.lock go.sum `

func (c *Change) locks() (list []*File) {
	for _, f := range c.Files {
		if isIn(strings.ToLower(path.Base(f.Path)), lockNames) && !foreign(f.Path) {
			list = append(list, f)
		}
	}
	return list
}

// findLockHost finds servers that a lock file did not load packages from before.
func findLockHost(c *Change, report func(Hit)) {
	known := map[string]bool{}
	for _, f := range c.locks() {
		eachHost(f.Base, func(host string, _ int) { known[host] = true })
	}
	for _, f := range c.locks() {
		var found firstNames
		eachHost(f.Head, func(host string, line int) {
			isUsual := host == "" || isIn(host, registries) || (host == "github.com" && path.Base(f.Path) == "composer.lock")
			if !isUsual && !known[host] {
				known[host] = true
				found.add(host, line)
			}
		})
		if len(found.names) > 0 {
			report(f.hit(0, found.line, "", "packages come from "+listed(found.names)+", which the lock file did not name before",
				"load the packages from the registry that the project uses, or let a person approve the server"))
		}
	}
}

// sourceKeys are in the lines that say where a package comes from; others name home pages and sponsors.
var sourceKeys = []string{`"resolved":`, `resolved "`, "url = ", "registry = ", "git = ", "source = ", "remote: ",
	"tarball: ", "resolution: ", "registry: "}

// cratesIndex is how a lock file of cargo names the registry.
const cratesIndex = `source = "registry+https://github.com/rust-lang/crates.io-index"`

// registries are the servers that package managers ask without being told.
const registries = ` registry.npmjs.org registry.yarnpkg.com files.pythonhosted.org pypi.org rubygems.org index.rubygems.org crates.io index.crates.io static.crates.io ` +
	`api.github.com codeload.github.com repo.packagist.org npm.jsr.io `

// address matches an address behind its scheme: its host, without a user.
var address = input.Lazily(`://(?:[^/"'#?} \r\n]*@)?([^/"'#?} \r\n]*)`)

// eachHost visits the servers that a version of a lock file names, with the scheme where that is not encrypted.
func eachHost(v *source.File, visit func(host string, line int)) {
	if v == nil {
		return
	}
	base := strings.ToLower(path.Base(v.Path))
	n, before := 0, []byte(nil)
	for line := range bytes.Lines(v.Text) {
		n++
		isSource := has(line, "://") && (base == "bun.lock" || has(line, sourceKeys...))
		if base == "composer.lock" {
			isSource = has(line, `"url":`) && has(before, `"type":`)
		}
		if before = line; !isSource || string(bytes.TrimSpace(line)) == cratesIndex {
			continue
		}
		for _, found := range address().FindAllSubmatchIndex(line, -1) {
			host := strings.ToLower(string(line[found[2]:found[3]]))
			if ends(line[:found[0]], "http") {
				host = "http://" + host
			}
			visit(host, n)
		}
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

// otherContent compares the checksums of both versions of a lock file.
func otherContent(f *File, report func(Hit)) {
	type lockSum struct {
		sum  string
		line int
	}
	known := map[string][]lockSum{}
	eachSum(f.Base, func(key, sum string, line int) { known[key] = append(known[key], lockSum{sum, line}) })
	var found firstHit
	eachSum(f.Head, func(key, sum string, line int) {
		old := known[key]
		same := slices.ContainsFunc(old, func(o lockSum) bool { return o.sum == sum })
		other := slices.IndexFunc(old, func(o lockSum) bool { return algorithm(o.sum) == algorithm(sum) })
		if !same && other >= 0 { // else there was none by this algorithm
			found.add(f.hit(old[other].line, line, key, key+" has another checksum at the same version",
				"find out why the content changed, or restore the checksum"))
		}
	})
	found.report(report)
}

func algorithm(sum string) string { return sum[:max(0, strings.IndexAny(sum, "-:/="))] }

// maxSums is how many packages of a lock file are compared.
const maxSums = 200_000

// eachSum visits the checksums of a version of a lock file. Their key is the name and the version of the package, or that of
// the file that was loaded.
func eachSum(v *source.File, visit func(key, sum string, line int)) {
	base := strings.ToLower(path.Base(v.Path))
	name, version, n, sums := "", "", 0, 0
	for raw := range bytes.Lines(v.Text) {
		n++
		line := string(bytes.TrimSpace(raw[:min(len(raw), maxShellLine)]))
		key, value, _ := strings.Cut(line, " ")
		key, value = strings.Trim(key, `":`), strings.Trim(value, `"=, `)
		id, sum := name+version, ""
		switch {
		case base == "go.sum":
			version, sum, _ = strings.Cut(value, " ")
			id = key + " " + version
		case ends(line, ":", "{") && (base != "yarn.lock" || raw[0] != ' '):
			if name = strings.Trim(line, `"'/:{ `); base == "yarn.lock" {
				name, _, _ = strings.Cut(name, ",")
				name, _, _ = cutAtLast(strings.TrimRight(name, `"`), "@")
			}
			_, name, _ = cutAtLast("node_modules/"+name, "node_modules/")
			version = ""
		case key == "name":
			name, version = value, ""
		case key == "version":
			version = " " + value
		case oneOf(key, "integrity", "checksum"):
			if sum = value; base == "cargo.lock" {
				sum = "sha256:" + sum
			}
		case key == "resolution": // of pnpm
			_, sum, _ = strings.Cut(strings.TrimRight(strings.Split(value, ",")[0], "}"), "integrity: ")
		case has(line, " sha256="):
			id, sum, _ = cutAtLast(line, " ")
		case has(line, ` hash = "`):
			if m := hashed().FindStringSubmatch(line); m != nil {
				id, sum = m[1], m[2]
			}
		}
		if id != "" && algorithm(sum) != "" && sums < maxSums {
			sums++
			visit(id, sum, n)
		}
	}
}

// hashed matches a file of a package of Python.
var hashed = input.Lazily(`(?:url|file) = "(?:[^"]*/)?([^"]*)".* hash = "([^"]*)`)
