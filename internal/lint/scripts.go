package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/input"
)

// taskMissing looks for the name of a script, target or recipe in the file that defines it. found is true when the file can be
// read completely and does not define the name.
func (c *commandLint) taskMissing(argv []string) (name, file, near string, found bool) {
	var known []string
	switch program := path.Base(argv[0]); program {
	case "npm", "pnpm", "yarn", "bun":
		name, file = packageScript(argv), path.Join(c.cwd, "package.json")
		known = c.packageScripts(file)
	case "make", "gmake":
		name = onlyName(argv[1:])
		file, known = c.firstOf(c.cwd, toolchain.FilesOf("make"), makeTargets)
	case "just":
		name = onlyName(argv[1:])
		file, known = c.firstOf(c.cwd, toolchain.FilesOf("just"), justRecipes)
	}
	if name == "" || known == nil || slices.Contains(known, name) || c.exists(path.Join(c.cwd, name)) {
		return "", "", "", false
	}
	return name, file, closest(name, sorted(known)), true
}

// packageScript is the script that npm or a program like it is asked to run; "" when that is not clear.
func packageScript(argv []string) string {
	if len(argv) > 1 && (argv[1] == "test" || argv[1] == "t") && argv[0] != "bun" {
		return "test"
	}
	if len(argv) < 3 || (argv[1] != "run" && argv[1] != "run-script") {
		return ""
	}
	return onlyName(argv[2:3])
}

// onlyName is the first word, when it is no flag, assignment or path; a flag before it may name another file.
func onlyName(args []string) string {
	if len(args) == 0 || strings.ContainsAny(args[0], "=/%$*") || strings.HasPrefix(args[0], "-") ||
		slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "-C") || strings.HasPrefix(a, "-f") || strings.HasPrefix(a, "--")
		}) {
		return ""
	}
	return args[0]
}

// packageScripts are the scripts of a package.json; nil when it cannot be read.
func (c *commandLint) packageScripts(file string) []string {
	text, err := c.Read(file)
	if err != nil {
		return nil
	}
	errs := &input.Errors{}
	root := input.ParseJSON(text, input.DefaultLimits(), errs)
	if root == nil || root.Kind != input.KindObject {
		return nil
	}
	known := []string{"install"}
	if scripts := root.Member("scripts"); scripts != nil {
		for _, m := range scripts.Members {
			known = append(known, m.Key)
		}
	}
	return known
}

// firstOf reads the names that the first existing file defines; nil when that is not known.
func (c *commandLint) firstOf(dir string, files []string, names func(string) []string) (file string, known []string) {
	for _, name := range files {
		file = path.Join(dir, name)
		if text, err := c.Read(file); err == nil {
			return file, names(string(text))
		}
	}
	return "", nil
}

var makeRule = input.Lazily(`(?m)^([A-Za-z0-9_./ -]+?)[ \t]*::?(?:[^=:]|$)`)

// makeTargets are the targets of a makefile; nil when other files or patterns may define more.
func makeTargets(text string) []string {
	if makeMore().MatchString(text) {
		return nil
	}
	var names []string
	for _, m := range makeRule().FindAllStringSubmatch(text, -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	return names
}

var makeMore = input.Lazily(`(?m)^ *-?s?include\b|^[^#\n]*%[^\n]*:|^[^#\t\n]*\$[({][^\n]*:[^=]|^[^#\n]*\$\(eval|^\.DEFAULT:`)

var (
	justRecipe = input.Lazily(`(?m)^@?([A-Za-z_][A-Za-z0-9_-]*)(?:[ \t][^:\n]*)?:(?:[^=]|$)`)
	justAlias  = input.Lazily(`(?m)^alias +([A-Za-z0-9_-]+)`)
	justMore   = input.Lazily(`(?m)^(?:import|mod)\??[ \t]|^set +fallback`)
)

// justRecipes are the recipes of a justfile; nil when other files may define more.
func justRecipes(text string) []string {
	if justMore().MatchString(text) {
		return nil
	}
	var names []string
	for _, m := range append(justRecipe().FindAllStringSubmatch(text, -1), justAlias().FindAllStringSubmatch(text, -1)...) {
		names = append(names, m[1])
	}
	return names
}
