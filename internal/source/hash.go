package source

import (
	"path"
	"strings"
)

// hasHashComments reports whether # begins a comment in a file of no known language: YAML, TOML, shell, Dockerfile,
// Makefile.
func hasHashComments(name string) bool {
	base := strings.ToLower(path.Base(name))
	return oneOf(path.Ext(base), ".yml .yaml .toml .sh .bash .zsh .cfg .conf .mk .dockerfile .env .properties .cmake") ||
		oneOf(base, "dockerfile containerfile makefile gnumakefile codeowners requirements.txt .gitignore .dockerignore .gitattributes .editorconfig .npmrc") ||
		strings.HasPrefix(base, "dockerfile.")
}

// hashComments takes the comments out of Code. Strings stay: these languages have too many kinds of them. A # begins a
// comment at the beginning of a word, outside quotes that begin a word and end on the same line.
func (s *scanner) hashComments() {
	quote, word := byte(0), true // whether a word can begin here
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\n':
			quote, word = 0, true
		case quote != 0:
			if c == quote {
				quote, word = 0, false
			}
		case c == '#' && word:
			s.lineComment()
			continue
		case word && (c == '"' || c == '\'') && s.at >= s.divided && s.onLine(c):
			quote = c
		default:
			word = strings.IndexByte(" \t([{,=;", c) >= 0
		}
		s.at++
	}
}
