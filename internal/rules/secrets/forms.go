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
	base64URL = SetOf(Alnum + "_-=")
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
	{"a GitHub token", "gh?_", "pousr", alnum, 16, 36, 1000, githubToken},
	{"a GitHub token", "github_pat_", "", name, 16, 82, 82, mixed},
	{"an Anthropic key", "sk-ant-", "", url, 10, 80, 200, mixed},
	{"an OpenAI key", "sk-proj-", "", url, 10, 40, 200, openAI},
	{"an OpenAI key", "sk-svcacct-", "", url, 10, 40, 200, openAI},
	{"an OpenAI key", "sk-admin-", "", url, 20, 40, 200, openAI},
	{"an OpenAI key", "sk-", "", alnum, 40, 48, 48, openAI},
	{"an AWS key", "AKIA", "", capital, 12, 16, 16, mixed},
	{"an AWS key", "ASIA", "", capital, 16, 16, 16, mixed},
	{"a Google API key", "AIza", "", url, 30, 35, 35, mixed},
	{"a Slack token", "xox?-", Lower, slack, 10, 40, 200, shaped(`^\d{9,}-(?:.*-)?([^-]{24,})$`)},
	{"a Slack webhook", "://hooks.slack.com/services/", "", path, 30, 40, 60, shaped(`^T[^/]*/B[^/]{7,}/([^/]{24})$`)},
	{"a Discord webhook", "://discord.com/api/webhooks/", "", path, 60, 78, 100, mixed},
	{"a Discord webhook", "://discordapp.com/api/webhooks/", "", path, 60, 78, 100, mixed},
	{"a GitLab token", "glpat-", "", dotted, 16, 20, 400, mixed},
	{"an npm token", "npm_", "", alnum, 30, 36, 36, checksummed},
	{"a PyPI token", "pypi-AgEI", "", url, 40, 80, 1000, mixed},
	{"a Hugging Face token", "hf_", "", SetOf(Upper + Lower), 30, 34, 34, twoCases},
	{"a DigitalOcean token", "dop_v1_", "", hex, 40, 64, 64, mixed},
	{"a SendGrid key", "SG.", "", dotted, 60, 66, 66, shaped(`^(.{22}\..*)$`)},
	{"a Stripe key", "?k_live_", "sr", alnum, 16, 24, 120, mixed},
	{"an age key", "AGE-SECRET-KEY-1", "", capital, 40, 58, 58, mixed},
	{"a Shopify token", "shp?t_", "acp", hex, 16, 32, 32, mixed},
	{"a Databricks token", "dapi", "", hex, 20, 32, 32, mixed},
	{"a Linear key", "lin_api_", "", alnum, 20, 40, 40, mixed},
	{"a Grafana token", "glsa_", "", name, 20, 41, 41, mixed},
	{"a Vault token", "hvs.", "", url, 20, 90, 200, mixed},
	{"a Docker token", "dckr_pat_", "", url, 16, 27, 27, twoCases},
	{"a New Relic key", "NRAK-", "", capital, 16, 27, 27, mixed},
	{"a Groq key", "gsk_", "", alnum, 20, 52, 52, mixed},
	{"an xAI key", "xai-", "", alnum, 40, 80, 80, mixed},
	{"a Tailscale key", "tskey-", "", slack, 20, 30, 120, mixed},
	{"a RubyGems key", "rubygems_", "", hex, 20, 48, 48, mixed},
	{"a Doppler token", "dp.pt.", "", alnum, 20, 40, 44, mixed},
	{"a PlanetScale token", "pscale_tkn_", "", dotted, 20, 32, 64, mixed},
	{"an Atlassian token", "ATATT3xFfGF0", "", base64URL, 40, 150, 250, mixed},
	{"a Replicate token", "r8_", "", alnum, 30, 37, 37, mixed},
	{"a Perplexity key", "pplx-", "", alnum, 30, 48, 56, mixed},
	{"a Notion token", "ntn_", "", alnum, 30, 46, 46, mixed},
	{"a Figma token", "figd_", "", url, 30, 40, 44, mixed},
	{"a Sentry token", "sntrys_eyJ", "", base64URL, 40, 80, 500, mixed},
	{"a Supabase token", "sbp_", "", hex, 20, 40, 40, mixed},
	{"an OpenRouter key", "sk-or-v1-", "", hex, 20, 64, 64, mixed},
	{"a Pulumi token", "pul-", "", hex, 20, 40, 40, mixed},
	{"a Postman key", "PMAK-", "", slack, 30, 59, 59, mixed},
	{"a Square token", "sq0atp-", "", url, 16, 22, 22, mixed},
	{"an Azure storage key", "AccountKey=", "", base64Set, 60, 88, 88, azureKey},
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

// Begin finds the form of the token that b begins with; nil when it begins with none.
func Begin(b []byte) *Form {
	for i := range Forms {
		if Forms[i].Matches(b) {
			return &Forms[i]
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
