package rules

import (
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// shape is a piece of code without blanks and with # for each literal.
func shape(codeText []byte) string {
	var b strings.Builder
	for i := 0; i < len(codeText); i++ {
		c := codeText[i]
		switch {
		case isSpace(c), c == '-' && isDigit(at(codeText, i+1)) && !source.IsWord(at(codeText, i-1)):
		case source.IsWord(c):
			end := i
			for end < len(codeText) && (source.IsWord(codeText[end]) || codeText[end] == '.' && isDigit(c) && isDigit(at(codeText, end+1))) {
				end++
			}
			if word := string(codeText[i:end]); isDigit(c) || oneOf(word, "true", "false", "True", "False", "nil", "null", "None", "undefined") {
				b.WriteByte('#')
			} else {
				b.WriteString(word)
				b.WriteByte(' ')
			}
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
