package secrets

import (
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"hash/crc32"
	"math"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/input"
)

// Found is a credential in a text.
type Found struct {
	Name       string // what it is, with an article
	Start, End int
	Value      string // without the prefix that all of its kind have
}

// theFilter is made when it is needed: most runs look for no credentials.
var theFilter = sync.OnceValue(func() *Filter { return NewFilter() })

// Find reports the credentials of a text that are no placeholders, in their order. It costs about a nanosecond for each
// byte.
func Find(text []byte, report func(Found)) {
	filter := theFilter()
	for i := filter.Skip(text, len(text)); i < len(text); i += 1 + filter.Skip(text[i+1:], len(text)) {
		found, end := at(text, i)
		if end == 0 {
			continue
		}
		if found.Name != "" {
			report(found)
		}
		i = end - 1
	}
}

// at looks at one place. end is 0 where nothing begins; the name is "" for something that is no real credential.
func at(text []byte, i int) (found Found, end int) {
	if first := keyStart(text, i); first > 0 {
		return pemKey(text, i, first)
	}
	f := Begin(text[i:])
	if f == nil && text[i] == ':' {
		return login(text, i)
	}
	if f == nil || (i > 0 && name[text[i-1]] && name[f.Text[0]]) {
		return Found{}, 0
	}
	start := i + len(f.Text)
	end = f.end(text, i)
	if n := end - start; n < f.from || n > f.to {
		return Found{}, end
	}
	value := string(text[start:end])
	if placeholder(value) || (f.real != nil && !f.real(value)) {
		return Found{}, end
	}
	return Found{Name: f.Name, Start: i, End: end, Value: value}, end
}

// fillers are in values that are made up.
const fillers = "example sample dummy fake placeholder redacted your changeme insert replace xxxx secret token todo"

// hasOne reports whether a text contains one of some words.
func hasOne(text, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// placeholder reports whether a person made up a value: it contains a word, repeats itself, or counts.
func placeholder(value string) bool {
	lower := strings.ToLower(value)
	if hasOne(lower, fillers) {
		return true
	}
	repeats, most := 4, 0 // equal bytes in a row that chance does not give
	if strings.Trim(value, Digits+"abcdef") == "" {
		repeats = 6
	}
	equal, rising := 1, 1
	for i := 1; i < len(lower); i++ {
		if equal++; lower[i] != lower[i-1] {
			equal = 1
		}
		if rising++; lower[i] != lower[i-1]+1 {
			rising = 1
		}
		most = max(most, rising)
		if equal >= repeats {
			return true
		}
	}
	return most >= 5 || entropy(value) < 3
}

// entropy is Shannon's, in bits for each byte.
func entropy(value string) float64 {
	var counts [256]int
	for i := range len(value) {
		counts[value[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(value))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// mixed reports whether a value has letters and digits, which words do not have.
func mixed(value string) bool {
	return strings.ContainsAny(value, Digits) && strings.ContainsAny(value, Upper+Lower)
}

func twoCases(value string) bool {
	return strings.ContainsAny(value, Lower) && strings.ContainsAny(value, Upper)
}

// githubToken checks the checksum of the form with 36 characters; a longer one has none.
func githubToken(value string) bool {
	if len(value) == 36 {
		return checksummed(value)
	}
	return len(value) >= 80 && mixed(value)
}

// checksummed reports whether the last six characters are the CRC-32 of those before them, in base 62.
func checksummed(value string) bool {
	const base62 = Digits + Upper + Lower
	body, sum := value[:len(value)-6], crc32.ChecksumIEEE([]byte(value[:len(value)-6]))
	for i := 5; i >= 0; i-- {
		if value[len(body)+i] != base62[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// openAI reports whether a key contains what OpenAI puts into each.
func openAI(value string) bool { return strings.Contains(value, "T3BlbkFJ") }

// shaped makes a test of the form of a value, of which the part in brackets is random.
func shaped(pattern string) func(string) bool {
	shape := input.Lazily(pattern)
	return func(value string) bool {
		m := shape().FindStringSubmatch(value)
		return m != nil && mixed(m[1])
	}
}

// azureKey reports whether a value is 64 bytes in base 64, and not one of the keys that everyone's emulators have, of
// storage and of Cosmos DB.
func azureKey(value string) bool {
	return strings.HasSuffix(value, "==") && mixed(value) && !strings.HasPrefix(value, "Eby8vdM02xNOcqFlqUwJPLlmEtlCDX") &&
		!strings.HasPrefix(value, "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM")
}

// longestKey is the maximum length of a private key in PEM form.
const longestKey = 64 << 10

// keyStart is where the private key begins whose first line begins at a place; 0 for none.
func keyStart(text []byte, i int) int {
	if !BeginsKey(text[i:]) {
		return 0
	}
	i += len("-----BEGIN ")
	return i + KeyLabel(text[i:])
}

// end is where a token of this form ends that begins at a place.
func (f *Form) end(text []byte, i int) int {
	for i += len(f.Text); i < len(text) && f.Set[text[i]]; {
		i++
	}
	return i
}

// pemKey reads a private key in PEM form that begins with its label at i and its text at first. Its line ends may be escaped, as in a string.
func pemKey(text []byte, i, first int) (Found, int) {
	rest := text[first:min(len(text), first+longestKey)]
	stop := bytes.Index(rest, []byte("-----"))
	if stop < 0 {
		return Found{}, first
	}
	body := keyBody(string(rest[:stop]))
	if !isKey(body, bytes.Contains(rest[:stop], []byte("ENCRYPTED"))) {
		return Found{}, first
	}
	return Found{Name: "a private key", Start: i, End: first + stop, Value: body}, first + stop
}

// keyBody joins the lines of a key, without headers, checksums, and what programming languages put around a line.
func keyBody(text string) string {
	text = strings.NewReplacer(`\r`, "\n", `\n`, "\n").Replace(text)
	var body strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Contains(line, ": ") || (len(line) == 5 && line[0] == '=') {
			continue
		}
		longest := ""
		for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return r > 126 || !base64Set[byte(r)] }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		if len(longest) >= 4 { // base 64 comes in groups of four; a sign between two strings is none
			body.WriteString(longest)
		}
	}
	return body.String()
}

// isKey reports whether a body is a key, and not what stands for one: DER whose length is right, what OpenSSH writes, a
// packet of OpenPGP, or what old versions of OpenSSL encrypted.
func isKey(body string, encrypted bool) bool {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
	if err != nil || len(data) < 40 || entropy(body) < 4 {
		return false
	}
	switch {
	case encrypted, bytes.HasPrefix(data, []byte("openssh-key-v1\x00")):
		return true
	case data[0] != 0x30:
		return data[0]&0x80 != 0 && len(data) > 150
	}
	rest, err := asn1.Unmarshal(data, &asn1.RawValue{})
	return err == nil && len(rest) == 0
}

// longestLogin is how far a URL is searched for a password.
const longestLogin = 300

// userInfo are the bytes that the name and password of a URL consist of; one with another is a template.
var userInfo = SetOf(Alnum + "-._~!&'()*+,;=%:#?^|")

// loginAt splits a URL: its user, its password, and where the password begins and ends. ok is false where it has none.
func loginAt(text []byte, i int) (user string, start, end int, ok bool) {
	from := i + len("://")
	if !bytes.HasPrefix(text[i:], []byte("://")) {
		return "", 0, 0, false
	}
	rest := text[from:min(len(text), from+longestLogin)]
	n := 0
	for n < len(rest) && userInfo[rest[n]] {
		n++
	}
	if n == len(rest) || rest[n] != '@' {
		return "", 0, 0, false
	}
	colon := bytes.IndexByte(rest[:n], ':')
	if colon < 0 || colon == n-1 {
		return "", 0, 0, false
	}
	return string(rest[:colon]), from + colon + 1, from + n, true
}

// login finds the password of a URL. Those of machines that only their owner reaches are quiet, and so are words.
func login(text []byte, i int) (Found, int) {
	user, start, end, ok := loginAt(text, i)
	if !ok {
		return Found{}, 0
	}
	password := string(text[start:end])
	host := text[end+1 : min(len(text), end+1+longestLogin)]
	n := 0
	for n < len(host) && dotted[host[n]] {
		n++
	}
	if len(password) < 10 || !mixed(password) || placeholder(password) || password == user || hasOne(strings.ToLower(password), words) ||
		!isPublic(strings.ToLower(string(host[:n]))) {
		return Found{}, end
	}
	return Found{Name: "a password in a URL", Start: start, End: end, Value: password}, end
}

// words are in passwords that are none.
const words = "pass pwd p@ss p4ss test admin user key postgres mysql root hunter guest foo bar %"

// private ends the names of machines that not everyone reaches.
const private = "localhost$ .local$ .test$ .invalid$ .internal$ example .svc$ .lan$ .home$"

// isPublic reports whether a host may be one on the internet.
func isPublic(host string) bool {
	host = strings.Trim(host, ".")
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && strings.ContainsAny(host[dot:], Lower) && !hasOne(host+"$", private)
}

// Mask takes the place of a credential.
const Mask = "[redacted]"

// shown is how much of a token stays: enough to find it in the file. The prefixes of addresses and names are no
// secrets.
func (f *Form) shown() int {
	if strings.HasSuffix(f.Text, "=") || strings.HasPrefix(f.Text, ":") {
		return len(f.Text)
	}
	return 4
}

// Redact replaces what looks like a credential, placeholders included. Of a token its first characters stay, of a
// password nothing.
func Redact(text string) string {
	b := []byte(text)
	var out []byte
	from := 0
	replace := func(start, end int) {
		out = append(append(out, text[from:start]...), Mask...)
		from = end
	}
	filter := theFilter()
	for i := filter.Skip(b, len(b)); i < len(b); i += 1 + filter.Skip(b[i+1:], len(b)) {
		if i < from {
			continue
		}
		if start := keyStart(b, i); start > 0 {
			replace(start, keyEnd(b, start))
		} else if f := Begin(b[i:]); f != nil {
			replace(i+f.shown(), f.end(b, i))
		} else if _, start, end, ok := loginAt(b, i); ok {
			replace(start, end)
		}
	}
	if from == 0 {
		return text
	}
	return string(out) + text[from:]
}

// keyEnd is where a private key ends.
func keyEnd(b []byte, start int) int {
	if n := bytes.Index(b[start:], []byte("-----END ")); n >= 0 {
		return start + n
	}
	return len(b)
}
