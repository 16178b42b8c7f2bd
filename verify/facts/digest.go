package facts

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// The workflow supplies the digest of a log as "<sha256>", or as "<stream>=<sha256>": the name is the workflow's own
// and names the job or matrix leg that recorded the log. A name without digest means that this job supplied none.

var streamSyntax = input.Lazily(`^[!-<>-~]([ -<>-~]{0,126}[!-<>-~])?$`)

// SplitDigest splits a digest that the workflow supplied. The stream is "" when it has no name, sha256 is "" when a
// named stream has no digest.
func SplitDigest(text string) (stream, sha256 string) {
	if stream, sha256, named := strings.Cut(text, "="); named {
		return stream, sha256
	}
	return "", text
}

// ReadDigest reads a digest as people and workflows write it: "sha256:" may precede the digits, which may be in upper
// case. It returns the form that [SplitDigest] takes.
func ReadDigest(text string) (string, error) {
	stream, sum, named := strings.Cut(text, "=")
	if !named {
		stream, sum = "", text
	}
	sum = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(sum), "sha256:"))
	plain := sum
	if named {
		stream = strings.TrimSpace(stream)
		plain = stream + "=" + sum
	}
	if !validDigest(plain) {
		return "", fmt.Errorf("%q is not a sha256: expected 64 hexadecimal digits, or a stream's name, = and such digits", text)
	}
	return plain, nil
}

func validDigest(text string) bool {
	stream, sum, named := strings.Cut(text, "=")
	if !named {
		return input.IsLowerHex(text, 64)
	}
	return streamSyntax().MatchString(stream) && (sum == "" || input.IsLowerHex(sum, 64))
}
