package glob

import "strings"

// checkPath refuses an alternative that no path of a git tree can match, or whose meaning is misleading.
func checkPath(alternative string) *Error {
	if alternative == "" {
		return &Error{"an alternative of the braces leaves an empty pattern", quote(alternative), "a path or a pattern of paths", "remove the empty alternative"}
	}
	if problem := checkExclusion(alternative); problem != nil {
		return problem
	}
	if strings.HasPrefix(alternative, "“") || strings.HasPrefix(alternative, "‘") {
		plain := strings.Trim(alternative, "“”‘’")
		return &Error{"the pattern begins with a typographic quote, which is a part of it", quote(alternative), `straight quotes: "`, "write " + quote(plain)}
	}
	components := strings.Split(alternative, "/")
	for i, component := range components {
		message, expected := "", ""
		switch {
		case component == "" && i == 0:
			message, expected = "the pattern begins with a slash", "a path from the root of the repository, without a leading slash"
		case component == "" && i == len(components)-1:
			message, expected = "the pattern ends in a slash", "a pattern of files; git has no paths of directories"
		case component == "":
			message, expected = "the pattern contains two adjacent slashes", "one slash between directories"
		case component == "." || component == "..":
			message, expected = "the pattern has a component "+quote(component), "a path from the root of the repository, as in git"
		case component != "**" && strings.Contains(component, "**") && doubleStar(tokensOf(component)) >= 0:
			message, expected = `a "**" next to other text would read as "*"`, `a "**" alone between slashes`
		default:
			continue
		}
		return &Error{message, quote(alternative), expected, suggest(components)}
	}
	return nil
}

// doubleStar returns the index of the first two adjacent stars; -1 when there are none.
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
		return `name the files from the root of the repository, as in "src/**"`
	}
	if components[len(components)-1] == "" {
		return "write " + quote(repaired) + " for everything below the directory"
	}
	if !strings.ContainsAny(repaired, "*?[") && !strings.Contains(components[len(components)-1], ".") {
		return "write " + quote(repaired) + " for the file, or " + quote(repaired+"/**") + " for everything below the directory"
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

// unglue puts each run of stars in a component between slashes: "**.md" is "**/*.md", "a**b" is "a*/**/*b".
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

// textOf joins tokens.
func textOf(tokens []token) string {
	var out strings.Builder
	for _, t := range tokens {
		out.WriteString(t.text)
	}
	return out.String()
}
