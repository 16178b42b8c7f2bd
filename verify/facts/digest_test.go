package facts

import (
	"strings"
	"testing"
)

func TestReadDigest(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	for text, want := range map[string]string{
		sum:                                  sum,
		"sha256:" + strings.ToUpper(sum):     sum,
		"linux=" + sum:                       "linux=" + sum,
		"linux = sha256:" + sum:              "linux=" + sum,
		"unit (3.12, ubuntu-24.04)=" + sum:   "unit (3.12, ubuntu-24.04)=" + sum,
		"linux=":                             "linux=",
		"linux= ":                            "linux=",
		"":                                   "",
		"=" + sum:                            "",
		" =" + sum:                           "",
		"linux":                              "",
		"linux=" + sum[1:]:                   "",
		"linux=" + sum + "0":                 "",
		"linux=" + sum + "=":                 "",
		"li\x1bnux=" + sum:                   "",
		"lin\u00fcx=" + sum:                  "",
		strings.Repeat("a", 129) + "=" + sum: "",
		strings.Repeat("a", 128) + "=" + sum: strings.Repeat("a", 128) + "=" + sum,
		sum + " " + sum:                      "",
		"sha256:":                            "",
		"linux=sha256:":                      "linux=",
	} {
		got, err := ReadDigest(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, expected %q", text, got, err, want)
		}
	}
}

func TestSplitDigest(t *testing.T) {
	for text, want := range map[string][2]string{"ab": {"", "ab"}, "x=ab": {"x", "ab"}, "x=": {"x", ""}} {
		if stream, sum := SplitDigest(text); stream != want[0] || sum != want[1] {
			t.Errorf("%q: got %q, %q", text, stream, sum)
		}
	}
}
