package glob

import "strings"

// checkPath refuses an alternative that no path of a git tree can match, or that says something else than it seems to.
func checkPath(alternative string) *Error {
	if alternative == "" {
		return &Error{"an alternative of the braces leaves nothing", quote(alternative), "a path or a pattern of paths", "take the empty alternative out"}
	}
	if problem := checkExclusion(alternative); problem != nil {
		return problem
	}
	components := strings.Split(alternative, "/")
	for i, component := range components {
		message, expected := "", ""
		switch {
		case component == "" && i == 0:
			message, expected = "the pattern begins with a slash", "a path from the repository's root, without a slash before it"
		case component == "" && i == len(components)-1:
			message, expected = "the pattern ends in a slash", "a pattern of files; git has no paths of folders"
		case component == "":
			message, expected = "two slashes stand in a row", "one slash between folders"
		case component == "." || component == "..":
			message, expected = "the pattern has a component "+quote(component), "a path from the repository's root, as git writes it"
		case isGlued(component):
			message, expected = `a "**" is glued to other text and would read as "*"`, `a "**" alone between slashes`
		default:
			continue
		}
		return &Error{message, quote(alternative), expected, suggest(components)}
	}
	return nil
}

// isGlued reports whether a component has two stars in a row, and something else.
func isGlued(component string) bool {
	return component != "**" && strings.Contains(component, "**") && doubleStar(tokensOf(component)) >= 0
}

// doubleStar returns where the first two stars in a row begin; -1 when there are none.
func doubleStar(tokens []token) int {
	for i := 1; i < len(tokens); i++ {
		if tokens[i-1].kind == star && tokens[i].kind == star {
			return i - 1
		}
	}
	return -1
}

// suggest says what to write instead of a refused path.
func suggest(components []string) string {
	repaired, ok := repair(components)
	if !ok {
		return `name the files from the repository's root, as in "src/**"`
	}
	if components[len(components)-1] == "" {
		return "write " + quote(repaired) + " for what lies below the folder"
	}
	return "write " + quote(repaired)
}

// repair returns the valid pattern that was probably meant; ok is false when there is none, as for "..", "." and "/".
func repair(components []string) (pattern string, ok bool) {
	var kept []string
	for _, component := range components {
		switch {
		case component == "" || component == ".":
		case component == ".." && len(kept) == 0:
			return "", false
		case component == "..":
			kept = kept[:len(kept)-1]
		case component == "**":
			kept = append(kept, component)
		default:
			kept = append(kept, unglue(component))
		}
	}
	if len(kept) == 0 {
		return "", false
	}
	if last := components[len(components)-1]; last == "" && kept[len(kept)-1] != "**" {
		kept = append(kept, "**")
	}
	pattern = strings.Join(kept, "/")
	_, problem := Parse(pattern)
	return pattern, problem == nil
}

// unglue gives each run of stars in a component a place between slashes: "**.md" is "**/*.md", "a**b" is "a*/**/*b".
func unglue(component string) string {
	tokens := tokensOf(component)
	at := doubleStar(tokens)
	if at < 0 {
		return component
	}
	end := at
	for end < len(tokens) && tokens[end].kind == star {
		end++
	}
	before, after := textOf(tokens[:at]), textOf(tokens[end:])
	if before != "" {
		before += "*/"
	}
	if after != "" {
		after = "/" + unglue("*"+after)
	}
	return before + "**" + after
}

// textOf puts tokens together again.
func textOf(tokens []token) string {
	var out strings.Builder
	for _, t := range tokens {
		out.WriteString(t.text)
	}
	return out.String()
}
