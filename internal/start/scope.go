package start

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// source are the extensions of files that come and go in the root of a repository; any other file there is named.
var source = strings.Fields(".c .cc .clj .cpp .cs .css .dart .ex .exs .go .h .hpp .hs .html .java .jl .js .jsx .kt .lua .md .mjs .ml " +
	".php .pl .py .pyi .r .rb .rs .rst .scala .sh .sql .swift .ts .tsx .txt .vue .zig")

// programs are the extensions of languages whose new packages are directories of their own, also in the root.
var programs = strings.Fields(".c .cc .clj .cpp .cs .dart .ex .exs .go .h .hpp .hs .java .jl .js .jsx .kt .mjs .ml .php .py .pyi .rb .rs " +
	".scala .swift .ts .tsx .vue .zig")

// documents are the extensions of what people write beside the code, such as SECURITY.md and CITATION.cff.
var documents = []string{".cff", ".md", ".rst", ".txt"}

// ofDocuments is the pattern of all documents of the root, so that a first one of a kind is allowed where there are others.
const ofDocuments = "*.{cff,md,rst,txt}"

// manifests are the files that a new package brings along where each package has one.
var manifests = []string{"Cargo.toml", "build.gradle", "build.gradle.kts", "go.mod", "mix.exs", "package.json", "pom.xml", "pyproject.toml"}

// minPackages is how many directories of the root make a way to lay out packages.
const minPackages = 3

// ofPackages are patterns for what a new directory of the root brings along, where others have it: a manifest, and files below src.
func (s *starter) ofPackages(shut *glob.Set) (list []string) {
	tops := map[string]map[string]bool{}
	for i := range s.tree.files {
		f := s.tree.files[i].Path
		top, rest, nested := strings.Cut(f, "/")
		pattern := "*/" + rest
		switch {
		case !nested || shut.Match(f):
			continue
		case strings.HasPrefix(rest, "src/"):
			pattern = "*/src/**"
		case !slices.Contains(manifests, rest):
			continue
		}
		if tops[pattern] == nil {
			tops[pattern] = map[string]bool{}
		}
		if tops[pattern][top] = true; len(tops[pattern]) == minPackages {
			list = append(list, pattern)
		}
	}
	return list
}

// minShare is how many of a hundred files of programs have the extension of a language of the repository. What is rarer is data, or
// of another owner.
const minShare = 10

// languages are the extensions of the languages of the repository.
func (s *starter) languages() (list []string) {
	files, all := map[string]int{}, 0
	for i := range s.tree.files {
		if ext := path.Ext(s.tree.files[i].Path); slices.Contains(programs, ext) {
			files[ext]++
			all++
		}
	}
	for _, ext := range programs {
		if n := files[ext]; n > 0 && 100*n >= minShare*all {
			list = append(list, ext)
		}
	}
	return list
}

// maxNamed is how many files of the root are named; more of them are one pattern.
const maxNamed = 100

// allowed are the patterns of what is tracked: the directories of the root, its files, and the languages anywhere, so that a new
// package is in scope. A file that is protected whatever changes in it is left out, because a pattern for it would say that it may change.
func (s *starter) allowed() (list []string) {
	var named, kinds []string
	seen := map[string]bool{}
	var protected []string // files of which every change counts, whatever the commands run
	for i := range policy.BuiltIn {
		if entry := &policy.BuiltIn[i]; entry.Whole() && entry.Programs == nil {
			protected = append(protected, entry.Patterns...)
		}
	}
	shut, languages := toolchain.Globs(protected...), s.languages()
	for _, ext := range languages {
		list = append(list, "**/*"+ext)
	}
	list = append(list, s.ofPackages(shut)...)
	for i := range s.tree.files {
		f := s.tree.files[i].Path
		top, _, nested := strings.Cut(f, "/")
		if shut.Match(f) || (seen[top] && nested) {
			continue
		}
		ext := path.Ext(top)
		switch {
		case nested:
			seen[top] = true
			list = append(list, s.pattern(top, "/**"))
		case slices.Contains(languages, ext): // a pattern above allows it
		case s.has(top) && slices.Contains(documents, ext) && top != ext:
			kinds = append(kinds, ofDocuments)
		case s.has(top) && slices.Contains(source, ext) && top != ext:
			kinds = append(kinds, "*"+ext)
		case top == "go.mod" || top == "go.sum":
			kinds = append(kinds, "go.*") // the first dependency brings go.sum
		case s.shut[f]: // another file of its kind may be open, so this is after the kinds
		default:
			named = append(named, s.pattern(top, ""))
		}
	}
	if len(named) > maxNamed {
		s.note("the root contains " + input.Plural(len(named), "other file") + ": they are allowed by the pattern *")
		named, kinds = []string{"*"}, nil
	}
	list = append(slices.Concat(list, kinds, named), ".gitignore") // which init writes
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(p string) bool { return p == "" })
	return list
}

// pattern writes a name as a pattern that matches it, with what follows; "" and a note when no pattern does.
func (s *starter) pattern(name, rest string) string {
	probe := name
	if rest != "" {
		probe += "/x"
	}
	wild := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return '?'
		}
		return r
	}, glob.Escape(name))
	for _, text := range []string{glob.Escape(name) + rest, wild + rest} {
		p, err := glob.Parse(text)
		if err == nil && !p.Universal() && glob.Compile([]glob.Pattern{p}).Match(probe) {
			return text
		}
	}
	s.note(input.Quote(name) + " is not allowed: no pattern of a contract matches this name")
	return ""
}

// secrets are names of files that no change may add. One that is tracked already is not a secret here.
var secrets = []string{".env", ".env.local", ".netrc", "id_rsa", "id_ed25519"}

// forbidden is a pattern of the secrets that no tracked file is; of git's own directory, which no tree contains, when all are:
// the list must not be empty.
func (s *starter) forbidden() []string {
	var free []string
	for _, name := range secrets {
		if s.any(func(p string) bool { return path.Base(p) == name }) {
			s.note("the pattern **/" + name + " is not forbidden: such a file is tracked")
		} else {
			free = append(free, name)
		}
	}
	switch len(free) {
	case 0:
		return []string{"**/.git/**"}
	case 1:
		return []string{"**/" + free[0]}
	}
	return []string{"**/{" + strings.Join(free, ",") + "}"}
}
