package start

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Ignored reports whether the text of a .gitignore in the root ignores a file, as git reads it: the last line that matches
// decides, and what is below an ignored directory is ignored.
func Ignored(gitignore, p string) bool {
	parts := strings.Split(p, "/")
	for i := range parts {
		if lastMatch(gitignore, strings.Join(parts[:i+1], "/"), i < len(parts)-1) {
			return true
		}
	}
	return false
}

// lastMatch reports whether the last line that matches a path ignores it.
func lastMatch(gitignore, p string, dir bool) (ignored bool) {
	for line := range strings.Lines(gitignore) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		negated := strings.HasPrefix(line, "!")
		line = strings.TrimPrefix(line, "!")
		onlyDir := strings.HasSuffix(line, "/")
		line = strings.TrimSuffix(line, "/")
		if line == "" || (line[0] == '#' && !negated) || (onlyDir && !dir) {
			continue
		}
		if matchLine(line, p) {
			ignored = !negated
		}
	}
	return ignored
}

// plainBraces keeps what is escaped already.
var plainBraces = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `{`, `\{`)

// matchLine matches a pattern of .gitignore. One without a slash matches a name at any depth, and no braces are
// alternatives.
func matchLine(pattern, p string) bool {
	if !strings.Contains(pattern, "/") {
		ok, err := path.Match(pattern, path.Base(p))
		return err == nil && ok
	}
	if dir, inside := strings.CutSuffix(pattern, "/**"); inside {
		pattern = dir + "/**/*" // what is in the directory, and not itself
	}
	ok, err := doublestar.Match(plainBraces.Replace(strings.TrimPrefix(pattern, "/")), p)
	return err == nil && ok
}

// WithIgnored returns the text of .gitignore with the lines that it lacks, and these lines; nil when it lacks none. A text with
// the line ends of Windows keeps them.
func WithIgnored(gitignore string, lines []string) (text string, missing []string) {
	for _, line := range lines {
		sample := strings.Trim(strings.ReplaceAll(line, "*", "x"), "/")
		switch {
		case line == pycache:
			sample += "/x.pyc" // which many repositories ignore by its extension
		case strings.HasSuffix(line, "/"):
			sample += "/x" // what is in the directory
		}
		if !Ignored(gitignore, sample) {
			missing = append(missing, line)
		}
	}
	if missing == nil {
		return gitignore, nil
	}
	end := "\n"
	if i := strings.IndexByte(gitignore, '\n'); i > 0 && gitignore[i-1] == '\r' {
		end = "\r\n"
	}
	text = gitignore
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return text + strings.Join(missing, end) + end, missing
}
