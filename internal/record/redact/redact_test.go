package redact

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

// redacted gives a text to a redactor in pieces of the lengths that cut returns.
func redacted(text string, cut func(rest int) int) (string, int64) {
	out := &Tail{Most: 1 << 20}
	r := &Redactor{To: out}
	for len(text) > 0 {
		n := min(max(cut(len(text)), 1), len(text))
		r.Add([]byte(text[:n]))
		text = text[n:]
	}
	r.End()
	return string(out.kept), r.Count
}

func whole(rest int) int { return rest }

// These tokens are made up, and put together here so that no scanner takes this file for a leak.
var (
	made  = strings.Repeat("aB3", 14)
	ghp   = "gh" + "p_" + made
	pat   = "github" + "_pat_11AAA_" + made
	ant   = "sk-" + "ant-api03-" + made + "-_x"
	proj  = "sk-" + "proj-" + made
	akia  = "AKI" + "AIOSFODNN7EXAMPLE"
	aiza  = "AIz" + "aSy-_" + made
	xoxb  = "xox" + "b-1234-5678-" + made
	glpat = "glp" + "at-" + made
	body  = strings.Repeat("MIIEowIBAAKCAQEA0123456789abcdefghijklmnopqrstuvwxyz/+\n", 30)
	key   = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + body + "-----END RSA " + "PRIVATE KEY-----"
)

var redactions = []struct {
	name, in, want string
	count          int64
}{
	{"nothing", "ok  \tpkg\t0.1s\n", "ok  \tpkg\t0.1s\n", 0},
	{"personal token", "a " + ghp + " b", "a [redacted] b", 1},
	{"every kind of GitHub token", "gho_" + made + " ghu_" + made + " ghs_" + made + " ghr_" + made, "[redacted] [redacted] [redacted] [redacted]", 4},
	{"another letter", "ghx_" + made, "ghx_" + made, 0},
	{"a word like a token", "highs_and_lows", "highs_and_lows", 0},
	{"fine-grained token", pat + "\n", "[redacted]\n", 1},
	{"fine-grained, too short", "github_pat_short", "github_pat_short", 0},
	{"anthropic", "k=" + ant + ";", "k=[redacted];", 1},
	{"openai", proj, "[redacted]", 1},
	{"a hyphenated word", "task-project-plan", "task-project-plan", 0},
	{"aws", "id: " + akia + "\n", "id: [redacted]\n", 1},
	{"aws, lower case", "AKIAlowercaseletters", "AKIAlowercaseletters", 0},
	{"google", `"` + aiza + `"`, `"[redacted]"`, 1},
	{"slack", xoxb + ".", "[redacted].", 1},
	{"slack, no letter", "xox1-" + made, "xox1-" + made, 0},
	{"npm", "np" + "m_" + made, "[redacted]", 1},
	{"stripe", "sk" + "_live_" + made + " rk" + "_live_" + made, "[redacted] [redacted]", 2},
	{"slack webhook", "https:" + "//hooks.slack.com/services/T1/B2/" + made + " x", "https[redacted] x", 1},
	{"gitlab", glpat, "[redacted]", 1},
	{"glued in an escaped line", `\n` + ghp + `\n`, `\n[redacted]\n`, 1},
	{"private key", "before\n" + key + "\nafter\n", "before\n[redacted]\nafter\n", 1},
	{"openpgp", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\nabc\n-----END PGP " + "PRIVATE KEY BLOCK-----!", "[redacted]!", 1},
	{"key in one line", strings.ReplaceAll(key, "\n", `\n`) + `"}`, `[redacted]"}`, 1},
	{"public key", "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----", 0},
	{"two labels in two lines", "-----BEGIN X\nPRIVATE KEY-----", "-----BEGIN X\nPRIVATE KEY-----", 0},
	{"key without end", "a -----BEGIN " + "PRIVATE KEY-----\n" + body, "a [redacted]", 1},
	{"key as a password", "secret: " + key + " x", "secret: [redacted] x", 1},
	{"key in a quoted value", `password="x ` + key + `" y`, `password="[redacted]" y`, 1},
	{"bearer header", "Authorization: Bearer abc.def-ghi\nnext", "Authorization: [redacted]\nnext", 1},
	{"basic header", "-H 'authorization: Basic dXNlcjpwYXNz' url", "-H 'authorization: [redacted]' url", 1},
	{"header in JSON", `{"Authorization": "Bearer abc", "a": 1}`, `{"Authorization": "[redacted]", "a": 1}`, 1},
	{"header without value", "Authorization:\nnext", "Authorization:\nnext", 0},
	{"authorization failed", "authorization failed", "authorization failed", 0},
	{"bearer alone", "bearer " + made + ", ok", "bearer [redacted], ok", 1},
	{"bearer of news", "bearer of good news", "bearer of good news", 0},
	{"password", "password=hunter2 next", "password=[redacted] next", 1},
	{"longer key", "export DB_PASSWORD=hunter2; ls", "export DB_PASSWORD=[redacted] ls", 1},
	{"passwd", "passwd : x\n", "passwd : [redacted]\n", 1},
	{"secret", "client_secret: 'a b' c", "client_secret: '[redacted]' c", 1},
	{"token", "access_token=abc&x=1", "access_token=[redacted]", 1},
	{"api key", "X-Api_Key: abc", "X-Api_Key: [redacted]", 1},
	{"secret key with a hyphen", "secret-key: abc x", "secret-key: [redacted] x", 1},
	{"secret key in camel case", `{"secretKey": "abc", "a": 1}`, `{"secretKey": "[redacted]", "a": 1}`, 1},
	{"secret key in snake case", "SECRET_KEY=abc", "SECRET_KEY=[redacted]", 1},
	{"client secret with a hyphen", "client-secret: abc\n", "client-secret: [redacted]\n", 1},
	{"api key with a hyphen", "x-api-key: abc\n", "x-api-key: [redacted]\n", 1},
	{"api key in camel case", "apiKey=abc", "apiKey=[redacted]", 1},
	{"access key", "AWS_SECRET_ACCESS_KEY=abc/def aws-access-key=x", "AWS_SECRET_ACCESS_KEY=[redacted] aws-access-key=[redacted]", 2},
	{"private key in one line", "privateKey: abc\nprivate-key = abc", "privateKey: [redacted]\nprivate-key = [redacted]", 2},
	{"keys that are no secrets", "public-key: a primary_key=b foreignKey: c key: d cache-key: e keys: f", "public-key: a primary_key=b foreignKey: c key: d cache-key: e keys: f", 0},
	{"words about secret keys", "secret-keys: 12, secret-key-length: 32, a secret key: none, the access-key id", "secret-keys: 12, secret-key-length: 32, a secret key: none, the access-key id", 0},
	{"an id of an access key", "access_key_id=abc", "access_key_id=abc", 0},
	{"JSON", `{"password": "a\"b", "user": "u"}`, `{"password": "[redacted]", "user": "u"}`, 1},
	{"JSON, backslash at the end", `{"password":"a\\","user":"u"}`, `{"password":"[redacted]","user":"u"}`, 1},
	{"JSON in JSON", `"{\"password\":\"a\\\"b\",\"user\":\"u\"}"`, `"{\"password\":\"[redacted]",\"user\":\"u\"}"`, 1},
	{"open quote", "password=\"abc\nnext", "password=\"[redacted]\nnext", 1},
	{"comparison", "if password == nil", "if password == nil", 0},
	{"plural", "tokens: 12", "tokens: 12", 0},
	{"scope operator", "Token::new", "Token::new", 0},
	{"a sentence", "the password is wrong", "the password is wrong", 0},
	{"no value", "password=\nnext", "password=\nnext", 0},
	{"far away", "password" + strings.Repeat(" ", maxSpaces+1) + "= x", "password" + strings.Repeat(" ", maxSpaces+1) + "= x", 0},
}

func TestRedact(t *testing.T) {
	for _, c := range redactions {
		t.Run(c.name, func(t *testing.T) {
			if got, count := redacted(c.in, whole); got != c.want || count != c.count {
				t.Errorf("%q:\n got %q (%d)\nwant %q (%d)", c.in, got, count, c.want, c.count)
			}
		})
	}
}

// TestRedactInPieces: the result does not depend on how the stream is split.
func TestRedactInPieces(t *testing.T) {
	var all strings.Builder
	for _, c := range redactions {
		all.WriteString(c.in + "\n")
	}
	text := all.String()
	want, count := redacted(text, whole)
	random := rand.New(rand.NewSource(1))
	cuts := map[string]func(int) int{
		"single bytes":  func(int) int { return 1 },
		"random pieces": func(int) int { return random.Intn(300) },
	}
	for _, size := range []int{2, 7, lookahead - 1, lookahead, lookahead + 1} {
		cuts["pieces of "+string(rune('0'+size%10))] = func(int) int { return size }
	}
	for name, cut := range cuts {
		if got, n := redacted(text, cut); got != want || n != count {
			t.Errorf("%s: got %d bytes and %d redactions, want %d and %d", name, len(got), n, len(want), count)
		}
	}
	for at := range len(key) {
		first := true
		got, _ := redacted(key+"!", func(rest int) int {
			if first && at > 0 {
				first = false
				return at
			}
			return rest
		})
		if got != Mask+"!" {
			t.Fatalf("cut at %d: %q", at, got)
		}
	}
}

// TestKeyWithoutEnd bounds what a BEGIN line can hide.
func TestKeyWithoutEnd(t *testing.T) {
	in := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("x", longestKey) + "the rest"
	if got, _ := redacted(in, whole); !strings.HasSuffix(got, "the rest") || len(got) > 100 {
		t.Errorf("kept %d bytes", len(got))
	}
}

func FuzzRedact(f *testing.F) {
	for i, c := range redactions {
		f.Add(c.in, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		want, count := redacted(text, whole)
		if got, n := redacted(text, func(int) int { return int(size) }); got != want || n != count {
			t.Errorf("in pieces of %d: %q (%d), whole: %q (%d)", size, got, n, want, count)
		}
		if strings.Contains(want, ghp) || count == 0 && want != text {
			t.Errorf("%q became %q with %d redactions", text, want, count)
		}
	})
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces []string
		most   int
		want   string
		cut    int64
	}{
		{"empty", nil, 8, "", 0},
		{"short", []string{"abc"}, 8, "abc", 0},
		{"just", []string{"abcd", "efgh"}, 8, "abcdefgh", 0},
		{"one more", []string{"abcd", "efghi"}, 8, "bcdefghi", 1},
		{"one long piece", []string{"0123456789abcdef"}, 4, "cdef", 12},
		{"many pieces", strings.Split(strings.Repeat("a,b,c,d,", 50), ","), 3, "bcd", 197},
		{"nothing kept", []string{"abc"}, 0, "", 3},
		{"through a character", []string{"aé€"}, 4, "€", 3},
		{"at a character", []string{"aé€"}, 5, "é€", 1},
		{"bad bytes are seen", []string{"a\xff\xfeb"}, 8, "a\ufffd\ufffdb", 0},
		{"bad bytes count as they are shown", []string{"a\xff\xfeb"}, 6, "\ufffdb", 2},
		{"half a character at the end", []string{"ab\xe2\x82"}, 8, "ab\ufffd\ufffd", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			tail := &Tail{Most: c.most}
			for _, p := range c.pieces {
				tail.Add([]byte(p))
			}
			got, cut := tail.Text()
			if got != c.want || cut != c.cut {
				t.Errorf("got %q, %d cut, want %q, %d", got, cut, c.want, c.cut)
			}
			if !utf8.ValidString(got) || len(got) > c.most {
				t.Errorf("%q has %d bytes", got, len(got))
			}
		})
	}
}
