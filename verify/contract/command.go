package contract

import (
	"path"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// SplitCommand splits a command in one string into argv, like a POSIX shell (POSIX.1-2017, Shell Command Language, 2.2) but
// without expansion, redirection or chaining.
//
// Words end at spaces and tabs. Single quotes keep everything; in double quotes a backslash escapes only \, ", $ and `;
// elsewhere it escapes any character. What a shell would interpret is an error whose Fix shows how to use a shell: unquoted
// | & ; < > ( ) $ ` * ~ and newline; $ and ` in double quotes; ? [ { ! and # at the start of a word; a backslash before a
// newline. So are an open quote, a backslash at the end, and a command without the name of a program. The error has no
// position, which the caller knows; argv is nil then.
func SplitCommand(s string) (argv []string, err *input.Error) {
	w := splitter{text: s}
	for w.at < len(s) {
		if err := w.step(); err != nil {
			return nil, err
		}
	}
	w.endWord()
	if len(w.argv) == 0 || w.argv[0] == "" {
		return nil, w.problem("it has no program name", "write the program first, then its arguments")
	}
	return w.argv, nil
}

// splitter splits a command. It builds the current word from the characters that are not quotes.
type splitter struct {
	text   string
	at     int // of the next character
	argv   []string
	word   strings.Builder
	inWord bool // a word has begun; it may be empty, as in ""
}

func (w *splitter) endWord() {
	if w.inWord {
		w.argv = append(w.argv, w.word.String())
	}
	w.word.Reset()
	w.inWord = false
}

// step reads one unquoted character, or a quoted text.
func (w *splitter) step() *input.Error {
	c := w.text[w.at]
	w.at++
	switch {
	case c == ' ' || c == '\t':
		w.endWord()
		return nil
	case strings.IndexByte("|&;<>()$`*~\n", c) >= 0:
		return w.needsShell("an unquoted " + input.Quote(string(c)))
	case !w.inWord && strings.IndexByte("?[{!#", c) >= 0:
		return w.needsShell("an unquoted " + input.Quote(string(c)) + " at the start of a word")
	}
	w.inWord = true
	switch c {
	case '\'':
		length := strings.IndexByte(w.text[w.at:], '\'')
		if length < 0 {
			return w.problem("a single quote is not closed", "close the quote")
		}
		w.word.WriteString(w.text[w.at : w.at+length])
		w.at += length + 1
		return nil
	case '"':
		return w.doubleQuoted()
	case '\\':
		return w.escape()
	}
	w.word.WriteByte(c)
	return nil
}

// doubleQuoted reads the text after a double quote.
func (w *splitter) doubleQuoted() *input.Error {
	for w.at < len(w.text) {
		c := w.text[w.at]
		w.at++
		switch {
		case c == '"':
			return nil
		case c == '$' || c == '`':
			return w.needsShell(input.Quote(string(c)) + " in double quotes")
		case c == '\\' && w.at < len(w.text) && strings.IndexByte("\\\"$`\n", w.text[w.at]) >= 0: // else it is literal
			if err := w.escape(); err != nil {
				return err
			}
		default:
			w.word.WriteByte(c)
		}
	}
	return w.problem("a double quote is not closed", "close the quote")
}

// escape reads the character after a backslash.
func (w *splitter) escape() *input.Error {
	if w.at == len(w.text) {
		return w.problem("the backslash at the end escapes nothing", "write two backslashes for one, or remove it")
	}
	c := w.text[w.at]
	w.at++
	if c == '\n' {
		return w.needsShell("a backslash before a newline")
	}
	w.word.WriteByte(c)
	return nil
}

// needsShell is the error for something that only a shell can do.
func (w *splitter) needsShell(what string) *input.Error {
	write := inShell(w.text)
	if len(w.text) > maxShown {
		write = `["bash", "-c", "…"] with the whole text in place of …`
	}
	return w.problem(what+" needs a shell", "write "+write+" to run it in a shell, or quote what is meant literally")
}

// inShell writes the argv that runs a command line in a shell.
func inShell(line string) string { return `["bash", "-c", ` + input.QuoteJSON(line) + `]` }

// argvOf writes the argv that a command line in one text means: its words, or a shell where it needs one. "" when neither
// is right, as with an open quote, or when the line is too long for a message.
func argvOf(line string) string {
	argv, problem := SplitCommand(line)
	switch {
	case len(line) > maxShown:
		return ""
	case problem == nil:
		var words []string
		for _, word := range argv {
			words = append(words, input.QuoteJSON(word))
		}
		return "[" + strings.Join(words, ", ") + "]"
	case strings.Contains(problem.Message, "needs a shell"):
		return inShell(line)
	}
	return ""
}

// maxShown is the longest text of which a message shows everything.
const maxShown = 80

func (w *splitter) problem(what, fix string) *input.Error {
	return &input.Error{
		Message:  "the command does not split into words: " + what,
		Found:    input.Quote(w.text),
		Expected: "words, quoted where needed, or a list of strings",
		Fix:      fix,
	}
}

// NormalCwd normalises a working directory, relative to the root of the repository: "" (missing) and "./" are ".", "./web/"
// is "web". ok is false for an absolute path and one with "..", which may be outside of the repository. Only the slash is a
// separator; a backslash is part of a name.
func NormalCwd(cwd string) (normal string, ok bool) {
	if strings.HasPrefix(cwd, "/") {
		return "", false
	}
	for part := range strings.SplitSeq(cwd, "/") {
		if part == ".." {
			return "", false
		}
	}
	return path.Clean(cwd), true
}
