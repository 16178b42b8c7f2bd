// Package secrets knows what credentials look like. The recorder replaces everything that looks like one; a diff rule
// reports only what cannot be a placeholder. Both use one list.
package secrets

import (
	"bytes"
	"strings"
)

// Set is a set of bytes.
type Set [256]bool

// SetOf makes a set of the bytes of a text.
func SetOf(chars string) *Set {
	var s Set
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

// The bytes of usual sets.
const (
	Digits = "0123456789"
	Upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	Lower  = "abcdefghijklmnopqrstuvwxyz"
	Alnum  = Digits + Upper + Lower
)

var (
	alnum     = SetOf(Alnum)
	name      = SetOf(Alnum + "_")
	url       = SetOf(Alnum + "_-")
	dotted    = SetOf(Alnum + "_-.")
	slack     = SetOf(Alnum + "-")
	capital   = SetOf(Digits + Upper)
	hex       = SetOf(Digits + "abcdef")
	base64Set = SetOf(Alnum + "+/=")
	path      = SetOf(Alnum + "/_-")
)

// Form is a kind of token with a known prefix.
type Form struct {
	Name  string // with an article
	Text  string // the prefix; a ? matches any byte of Which
	Which string
	Set   *Set // of the bytes that follow
	Least int  // how many must follow: shorter ones are words. The recorder asks for no more than this

	// What a real token also has.
	from, to int                    // how many bytes follow
	real     func(body string) bool // nil for any
}

// Forms are the tokens that are known by their prefix.
var Forms = []Form{
	{Name: "a GitHub token", Text: "gh?_", Which: "pousr", Set: alnum, Least: 16, from: 36, to: 1000, real: githubToken},
	{Name: "a GitHub token", Text: "github_pat_", Set: name, Least: 16, from: 82, to: 82, real: mixed},
	{Name: "an Anthropic key", Text: "sk-ant-", Set: url, Least: 10, from: 80, to: 200, real: mixed},
	{Name: "an OpenAI key", Text: "sk-proj-", Set: url, Least: 10, from: 40, to: 200, real: openAI},
	{Name: "an OpenAI key", Text: "sk-svcacct-", Set: url, Least: 10, from: 40, to: 200, real: openAI},
	{Name: "an OpenAI key", Text: "sk-admin-", Set: url, Least: 20, from: 40, to: 200, real: openAI},
	{Name: "an OpenAI key", Text: "sk-", Set: alnum, Least: 40, from: 48, to: 48, real: openAI},
	{Name: "an AWS key", Text: "AKIA", Set: capital, Least: 12, from: 16, to: 16, real: mixed},
	{Name: "an AWS key", Text: "ASIA", Set: capital, Least: 16, from: 16, to: 16, real: mixed},
	{Name: "a Google API key", Text: "AIza", Set: url, Least: 30, from: 35, to: 35, real: mixed},
	{Name: "a Slack token", Text: "xox?-", Which: Lower, Set: slack, Least: 10, from: 40, to: 200, real: slackToken},
	{Name: "a Slack webhook", Text: "://hooks.slack.com/services/", Set: path, Least: 30, from: 40, to: 60,
		real: slackHook},
	{Name: "a Discord webhook", Text: "://discord.com/api/webhooks/", Set: path, Least: 60, from: 78, to: 100,
		real: mixed},
	{Name: "a Discord webhook", Text: "://discordapp.com/api/webhooks/", Set: path, Least: 60, from: 78, to: 100,
		real: mixed},
	{Name: "a GitLab token", Text: "glpat-", Set: dotted, Least: 16, from: 20, to: 400, real: mixed},
	{Name: "an npm token", Text: "npm_", Set: alnum, Least: 30, from: 36, to: 36, real: checksummed},
	{Name: "a PyPI token", Text: "pypi-AgEI", Set: url, Least: 40, from: 80, to: 1000, real: mixed},
	{Name: "a Hugging Face token", Text: "hf_", Set: SetOf(Upper + Lower), Least: 30, from: 34, to: 34, real: twoCases},
	{Name: "a DigitalOcean token", Text: "dop_v1_", Set: hex, Least: 40, from: 64, to: 64, real: mixed},
	{Name: "a SendGrid key", Text: "SG.", Set: dotted, Least: 60, from: 66, to: 66, real: sendGrid},
	{Name: "a Stripe key", Text: "?k_live_", Which: "sr", Set: alnum, Least: 16, from: 24, to: 120, real: mixed},
	{Name: "an age key", Text: "AGE-SECRET-KEY-1", Set: capital, Least: 40, from: 58, to: 58, real: mixed},
	{Name: "an Azure storage key", Text: "AccountKey=", Set: base64Set, Least: 60, from: 88, to: 88, real: azureKey},
}

// Matches reports whether b begins with something of this form.
func (f *Form) Matches(b []byte) bool {
	if len(b) < len(f.Text)+f.Least {
		return false
	}
	for i := range len(f.Text) {
		wild := f.Text[i] == '?'
		if (wild && strings.IndexByte(f.Which, b[i]) < 0) || (!wild && b[i] != f.Text[i]) {
			return false
		}
	}
	for _, c := range b[len(f.Text) : len(f.Text)+f.Least] {
		if !f.Set[c] {
			return false
		}
	}
	return true
}

// first are the first bytes of a form.
func (f *Form) first() string {
	if f.Text[0] == '?' {
		return f.Which
	}
	return f.Text[:1]
}

// byFirst are the forms by their first byte.
var byFirst = func() (table [256][]*Form) {
	for i := range Forms {
		for _, c := range []byte(Forms[i].first()) {
			table[c] = append(table[c], &Forms[i])
		}
	}
	return table
}()

// Begin finds the form of the token that b begins with; nil when it begins with none.
func Begin(b []byte) *Form {
	if len(b) == 0 {
		return nil
	}
	for _, f := range byFirst[b[0]] {
		if f.Matches(b) {
			return f
		}
	}
	return nil
}

// Filter knows the first three bytes of what is searched for: with them, nearly all of a text is skipped.
type Filter struct{ first, second [256][256]bool }

// NewFilter makes a filter for all forms, for private keys, for addresses, and for words in any case.
func NewFilter(words ...string) *Filter {
	f := &Filter{}
	f.add("---", "")
	f.add("://", "")
	for i := range Forms {
		f.add(Forms[i].Text, Forms[i].Which)
	}
	for _, w := range words {
		upper := strings.ToUpper(w)
		for n := range 8 { // the first three letters, each in both cases
			b := []byte(w[:3])
			for i := range b {
				if n>>i&1 != 0 {
					b[i] = upper[i]
				}
			}
			f.add(string(b), "")
		}
	}
	return f
}

// add adds the beginning of a text; a ? is any byte of which.
func (f *Filter) add(text, which string) {
	set := func(i int) string {
		if text[i] == '?' {
			return which
		}
		return text[i : i+1]
	}
	for _, a := range []byte(set(0)) {
		for _, b := range []byte(set(1)) {
			f.first[a][b] = true
			for _, c := range []byte(set(2)) {
				f.second[b][c] = true
			}
		}
	}
}

// Skip counts the bytes before the place where something may begin, most at most.
func (f *Filter) Skip(b []byte, most int) int {
	last := min(len(b)-2, most)
	for n := 0; n < last; n++ {
		if f.first[b[n]][b[n+1]] && f.second[b[n+1]][b[n+2]] {
			return n
		}
	}
	return min(len(b), most)
}

// BeginsKey reports whether b begins with the first line of a private key in PEM form (RFC 7468, and what OpenSSL,
// OpenSSH and OpenPGP write).
func BeginsKey(b []byte) bool {
	label, ok := bytes.CutPrefix(b, []byte("-----BEGIN "))
	return ok && KeyLabel(label) > 0
}

// KeyLabel returns the length of the label of a private key and the dashes after it, 0 when b begins with none.
func KeyLabel(b []byte) int {
	end := bytes.Index(b[:min(len(b), longestLabel)], []byte("-----"))
	if end < 0 {
		return 0
	}
	label := bytes.TrimSuffix(b[:end], []byte(" BLOCK"))
	if !bytes.HasSuffix(label, []byte("PRIVATE KEY")) || bytes.ContainsAny(label, "\r\n") {
		return 0
	}
	return end + len("-----")
}

// longestLabel is the maximum length of the label of a key.
const longestLabel = 160
