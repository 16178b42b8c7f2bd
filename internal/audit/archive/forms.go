package archive

import (
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// What errors say that a value must be.
const (
	idForm     = "an object id of 40 or 64 lower-case hex digits"
	branchForm = "the name of a branch"
)

var (
	versionSyntax = input.Lazily(`^[0-9A-Za-z.+-]{1,64}$`)
	eventSyntax   = input.Lazily(`^[a-z_]{1,64}$`)
	numbersSyntax = input.Lazily(`^[1-9][0-9]{0,18}$`)
	hashSyntax    = input.Lazily(`^[A-Za-z0-9+/]{43}=$`)
	originSyntax  = input.Lazily(`^closeout-archive/[0-9A-Za-z.:-]{1,255}/[0-9A-Za-z_-][0-9A-Za-z._-]{0,254}/[0-9A-Za-z._-]{1,255}$`)
)

// Whys are why an entry is a gap.
var Whys = []string{NoPullRequest, NoRun, NoArtifact, Expired, Unreadable, WrongSubject, Unknown}

func isNumber(s string) bool { return numbersSyntax().MatchString(s) }

// isID refuses the id of zeros, with which git means no object.
func isID(s string) bool { return input.IsLowerHex(s, 40, 64) && strings.Trim(s, "0") != "" }

// isLine reports whether a text is one line that people can read.
func isLine(s string) bool {
	return strings.TrimSpace(s) != "" && len(s) <= 1024 && utf8.ValidString(s) && !strings.ContainsFunc(s, control)
}

// IsReason reports whether a text can be why a bundle was withdrawn.
func IsReason(s string) bool { return isLine(s) && len(s) <= 1000 }

func control(c rune) bool { return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 }

// IsBranch reports whether a branch can have a name (git-check-ref-format), without refs/heads/. It must be UTF-8.
func IsBranch(s string) bool {
	if s == "" || s == "@" || len(s) > 255 || s[0] == '-' || !utf8.ValidString(s) || strings.ContainsFunc(s, control) ||
		strings.ContainsAny(s, " ~^:?*[\\") || strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.HasSuffix(s, ".") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// IsPath reports whether an archive can have a file of a bundle under its path. Names that git reserves are refused, in every case,
// because a server refuses a push that contains them.
func IsPath(s string) bool {
	if s == "" || len(s) > 1024 || !utf8.ValidString(s) || strings.ContainsFunc(s, control) || strings.ContainsAny(s, "\\\u200c\u200d\ufeff") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		lower := strings.ToLower(part)
		if part == "" || part == "." || part == ".." || len(part) > 255 || strings.HasPrefix(lower, ".git") || strings.HasPrefix(lower, "git~") {
			return false
		}
	}
	return true
}
