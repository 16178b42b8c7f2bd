package secrets

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"hash/crc32"
	"strings"
	"testing"
)

// The tokens are made up, and put together here so that no scanner takes this file for a leak.
var (
	random = "q7Lw2ZkR9xVb4TnYc8Hs5MfJd3GpXa6WuEvKtBrQyNz1CjDm0SgPhFiAoUlIeO4xY7bVn2Kq9Ws5ZrTdM"
	ghp    = "gh" + "p_" + summed(random[:30])
	npm    = "np" + "m_" + summed(random[5:35])
)

func summed(body string) string {
	const base62 = Digits + Upper + Lower
	sum, end := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		end = base62[sum%62:][:1] + end
		sum /= 62
	}
	return body + end
}

func armored(t *testing.T, label string, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

// TestChecksum uses a token that GitHub's documentation once had as an example.
func TestChecksum(t *testing.T) {
	if !checksummed("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ" + "0mLq17") {
		t.Error("a good checksum is bad")
	}
	if checksummed("zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ" + "0mLq18") {
		t.Error("a bad checksum is good")
	}
}

func TestFind(t *testing.T) {
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	rsaPEM := armored(t, "PRIVATE "+"KEY", rsaKey)
	for _, c := range []struct{ name, text, want string }{
		{"GitHub", "token: " + ghp + "\n", "a GitHub token"},
		{"GitHub, bad checksum", "gh" + "p_" + random[:36], ""},
		{"part of a longer name", "x" + ghp, ""},
		{"fine-grained", "github" + "_pat_" + random[:22] + "_" + random[:59], "a GitHub token"},
		{"npm", "//registry.npmjs.org/:_authToken=" + npm, "an npm token"},
		{"Anthropic", "k = \"sk-" + "ant-api03-" + random + "-_AA\"", "an Anthropic key"},
		{"Anthropic, short", "sk-" + "ant-api03-" + random[:30], ""},
		{"OpenAI", "sk-" + "proj-" + random[:30] + "T3Blbk" + "FJ" + random[30:60], "an OpenAI key"},
		{"old OpenAI", "sk-" + random[:20] + "T3Blbk" + "FJ" + random[20:40], "an OpenAI key"},
		{"like OpenAI", "sk-" + random[:48], ""},
		{"AWS", "AKI" + "AQ7LW2ZKR4XVB5TNY", "an AWS key"},
		{"AWS, documented", "AKI" + "AIOSFODNN7EXAMPLE", ""},
		{"Google", "AIz" + "aSy" + random[:33], "a Google API key"},
		{"Slack", "xox" + "b-829461357920-7391846205713-" + random[:24], "a Slack token"},
		{"Slack, placeholder", "xox" + "b-your-token-goes-here-please-thank-you-1", ""},
		{"Slack webhook", "https:" + "//hooks.slack.com/services/T0Q7LW2ZK/B0R9XVB4TN/" + random[:24], "a Slack webhook"},
		{"Slack webhook, documented", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX", ""},
		{"Discord", "https:" + "//discord.com/api/webhooks/829461357920468137/" + random[:68], "a Discord webhook"},
		{"GitLab", "glp" + "at-" + random[:20], "a GitLab token"},
		{"GitLab, words", "glpat-my-personal-token", ""},
		{"PyPI", "pypi-" + "AgEIcHlwaS5vcmc" + random, "a PyPI token"},
		{"Hugging Face", "hf" + "_" + "qLwZkRxVbTnYcHsMfJdGpXaWuEvKtBrQyN", "a Hugging Face token"},
		{"DigitalOcean", "dop" + "_v1_" + "3f9a1c7e5b2d8046a9c1e7f35b8d2046c9a1e7f35b8d20463f9a1c7e5b2d8046", "a DigitalOcean token"},
		{"SendGrid", "SG" + "." + random[:22] + "." + random[22:65], "a SendGrid key"},
		{"Stripe", "sk_" + "live_" + random[:24], "a Stripe key"},
		{"Stripe, test mode", "sk_test_" + random[:24], ""},
		{"age", "AGE-SECRET" + "-KEY-1QLW2ZKR9XVP4TNYC8HS5MFJD3GPXA6WUEVKTPRQYNZ7CJDM0SGPHFXAULQ", "an age key"},
		{"Azure", "Account" + "Key=" + base64.StdEncoding.EncodeToString([]byte(random[:64])), "an Azure storage key"},
		{"storage emulator", "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", ""},
		{"database emulator", "AccountKey=C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==", ""},
		{"URL", "postgres://app:" + random[:14] + "@db.closeout.dev/main", "a password in a URL"},
		{"URL, local", "postgres://app:" + random[:14] + "@localhost:5432/main", ""},
		{"URL, service", "postgres://app:" + random[:14] + "@db:5432/main", ""},
		{"URL, word", "https://user:password123@api.closeout.dev", ""},
		{"URL, template", "https://x-access-token:${{ github.token }}@github.com/a/b", ""},
		{"URL, variable", "https://u:$PASSWORD12345@github.com/a/b", ""},
		{"URL, port", "http://127.0.0.1:8080/@scope/package1", ""},
		{"RSA", rsaPEM, "a private key"},
		{"EC", armored(t, "PRIVATE "+"KEY", ec), "a private key"},
		{"Ed25519", armored(t, "PRIVATE "+"KEY", ed), "a private key"},
		{"in a string", `key = "` + strings.ReplaceAll(rsaPEM, "\n", `\n`) + `"`, "a private key"},
		{"in strings", `"` + strings.ReplaceAll(rsaPEM, "\n", "\\n\" +\n    \"") + `"`, "a private key"},
		{"in a CRLF file", strings.ReplaceAll(rsaPEM, "\n", "\r\n"), "a private key"},
		{"cut", rsaPEM[:300] + "\n-----END PRIVATE " + "KEY-----", ""},
		{"dots", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA...\n-----END RSA " + "PRIVATE KEY-----", ""},
		{"zeros", "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("A", 600) + "\n-----END RSA " + "PRIVATE KEY-----", ""},
		{"a begin line", `if strings.Contains(s, "-----BEGIN RSA ` + `PRIVATE KEY-----") {`, ""},
	} {
		var got []string
		Find([]byte(c.text), func(f Found) { got = append(got, f.Name) })
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRedact(t *testing.T) {
	for _, c := range [][2]string{
		{"nothing", "nothing"},
		{"a " + ghp + " b", "a ghp_[redacted] b"},
		{"gh" + "p_" + random[:36], "ghp_[redacted]"},
		{"postgres://u:pw@db/x", "postgres://u:[redacted]@db/x"},
		{"-----BEGIN PRIVATE " + "KEY-----\\nMII", "-----BEGIN PRIVATE " + "KEY-----[redacted]"},
		{"AccountKey=" + random + "aaaa==;x", "AccountKey=[redacted];x"},
	} {
		if got := Redact(c[0]); got != c[1] {
			t.Errorf("Redact(%q) is %q, want %q", c[0], got, c[1])
		}
	}
}

// TestForms makes a token of each form that only its prefix and its bytes describe.
func TestForms(t *testing.T) {
	checked := 0
	for i := range Forms {
		f := &Forms[i]
		if f.to-f.from > 100 || f.real == nil {
			continue
		}
		body := ""
		for n := 0; len(body) < f.from; n++ {
			if c := random[n*7%len(random)]; f.Set[c] {
				body += string(c)
			}
		}
		if !f.real(body) {
			continue
		}
		text, found := strings.ReplaceAll(f.Text, "?", f.Which[:min(1, len(f.Which))])+body, ""
		Find([]byte("= "+text+" "), func(s Found) { found = s.Name })
		if checked++; found != f.Name {
			t.Errorf("%s: found %q in %q", f.Name, found, text)
		}
		Find([]byte("= "+text[:len(text)-1]+" "), func(s Found) { t.Errorf("%s is too short, but %s", f.Name, s.Name) })
	}
	if checked < 25 {
		t.Errorf("%d forms were checked", checked)
	}
}

// FuzzFind also checks that nothing that is found can be read after it was redacted.
func FuzzFind(f *testing.F) {
	f.Add("a " + ghp + " " + npm + "\n-----BEGIN PRIVATE " + "KEY-----\nMII")
	f.Fuzz(func(t *testing.T, text string) {
		redacted := Redact(text)
		Find([]byte(text), func(found Found) {
			if found.Start < 0 || found.End > len(text) || found.Start >= found.End {
				t.Fatalf("%+v in %d bytes", found, len(text))
			}
			if strings.Count(text, found.Value) == 1 && strings.Contains(redacted, found.Value) {
				t.Errorf("%q is still in %q", found.Value, redacted)
			}
		})
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat("\tif err := run(list, https://example.com/a); err != nil { // does not work\n", 1<<14))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text, func(Found) {})
	}
}
