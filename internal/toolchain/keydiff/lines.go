package keydiff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// lineForm says which lines of a program only name a dependency and its version. Any other line is code.
type lineForm struct {
	comment string
	top     func() *regexp.Regexp // such a line outside of blocks
	block   func() *regexp.Regexp // the first line of a block that may contain them; nil for none
	inside  func() *regexp.Regexp // such a line in that block
	depth   func(line string) int // how many more blocks are open after a line
}

var (
	gem      = input.Lazily(`^gem[ (]\s*["'][\w.-]+["'](?:\s*,\s*["'][\w\s.~<>=!,*-]*["'])*\s*\)?\s*(?:#.*)?$`)
	rubyOpen = input.Lazily(`\bdo(?:\s*\|[^|]*\|)?\s*(?:#.*)?$|^(?:if|unless|case|begin|while|until|for|def|class|module|=begin|__END__)\b|=\s*(?:if|case|begin)\b`)
	rubyEnd  = input.Lazily(`^=?end\b`)

	gemfile = lineForm{comment: "#", top: gem, block: input.Lazily(`^group\b[\w\s:,()]*\bdo$`), inside: gem, depth: func(line string) int {
		switch {
		case rubyOpen().MatchString(line):
			return 1
		case rubyEnd().MatchString(line):
			return -1
		}
		return 0
	}}
	gradle = lineForm{
		comment: "//", top: input.Lazily(`^version\s*=?\s*["'][\w.+-]+["']$`), block: input.Lazily(`^dependencies\s*\{$`),
		inside: input.Lazily(`^[a-z]\w*[ (]\s*(?:["'][\w.-]+:[\w.-]+(?::[\w.+-]+)?["']|libs\.[\w.]+)\s*\)?\s*(?://.*)?$`),
		depth:  func(line string) int { return strings.Count(line, "{") - strings.Count(line, "}") },
	}
	requirements = lineForm{
		comment: "#", depth: func(string) int { return 0 },
		top: input.Lazily(`^[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*(?:[~<>=!]=?=?\s*[\w.*+!-]+\s*,?\s*)*(?:;[^#@]*)?(?:\s#.*)?$`),
	}
)

// lineKeys names dependencies, and code, where the lines of that kind differ. The order of dependencies does not matter.
func lineKeys(form *lineForm) func(before, after []byte) ([]string, error) {
	return func(before, after []byte) ([]string, error) {
		return differing(form.read(string(before)), form.read(string(after))), nil
	}
}

func (form *lineForm) read(text string) map[string]string {
	var dependencies []string
	var code strings.Builder
	var open []bool // the blocks around a line, and whether each may contain dependencies
	for raw := range strings.Lines(text) {
		line := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		// A carriage return, or an escape for a line end, can end a comment; a backslash can continue a line.
		odd := strings.ContainsAny(line, "\r\\") || archive().MatchString(line)
		line = strings.Trim(line, " \t")
		var named *regexp.Regexp
		if len(open) == 0 {
			named = form.top()
		} else if len(open) == 1 && open[0] {
			named = form.inside()
		}
		switch {
		case !odd && (line == "" || strings.HasPrefix(line, form.comment)):
			continue
		case !odd && named != nil && named.MatchString(line):
			dependencies = append(dependencies, line)
			continue
		}
		code.WriteString(line + "\n")
		more := form.depth(line)
		for ; more > 0; more-- {
			open = append(open, form.block != nil && form.block().MatchString(line))
		}
		open = open[:max(len(open)+more, 0)]
	}
	slices.Sort(dependencies)
	return map[string]string{"dependencies": strings.Join(dependencies, "\n") + "\n", "code": code.String() + "\n"}
}
