package hook

import (
	"math/rand"
	"strings"
	"testing"
)

// gen makes settings.
type gen struct{ r *rand.Rand }

func (g gen) ws() string {
	list := []string{"", "", " ", "\n", "\n  ", "\r\n\t", " // c, \"x\" ]}\n", "/* , */", " /* x */\n ", "\n\n    ", "// y\r\n "}
	return list[g.r.Intn(len(list))]
}

func (g gen) seq(open, closed string, items []string) string {
	var b strings.Builder
	b.WriteString(open + g.ws())
	for i, it := range items {
		b.WriteString(it + g.ws())
		if i < len(items)-1 || g.r.Intn(4) == 0 {
			b.WriteString("," + g.ws())
		}
	}
	b.WriteString(closed)
	return b.String()
}

func (g gen) kv(k, v string) string { return `"` + k + `"` + g.ws() + ":" + g.ws() + v }

func (g gen) handler() string {
	l := []string{`{"type": "command", "command": "x"}`, `1`, `null`, `{"command": "closeout hook run --agent claude"}`, `{"command":"closeout","args":["hook","run"]}`, `"s"`}
	return l[g.r.Intn(len(l))]
}

func (g gen) group() string {
	if g.r.Intn(4) == 0 {
		return g.handler()
	}
	var hs []string
	for range g.r.Intn(3) {
		hs = append(hs, g.handler())
	}
	items := []string{g.kv("hooks", g.seq("[", "]", hs))}
	if g.r.Intn(2) == 0 {
		items = append([]string{g.kv("matcher", `"Bash"`)}, items...)
	}
	if g.r.Intn(4) == 0 {
		items = append(items, g.kv("description", `"d"`))
	}
	return g.seq("{", "}", items)
}

func (g gen) file() string {
	var top []string
	for range g.r.Intn(3) {
		top = append(top, g.kv("k"+string(rune('a'+len(top))), []string{"1", "{}", "[1,2]", `"// x"`}[g.r.Intn(4)]))
	}
	if g.r.Intn(4) > 0 {
		var ev []string
		for _, e := range []string{"PreToolUse", "Stop", "Other", "preToolUse", "SessionStart"} {
			if g.r.Intn(2) == 0 {
				var gs []string
				for range g.r.Intn(3) {
					gs = append(gs, g.group())
				}
				ev = append(ev, g.kv(e, g.seq("[", "]", gs)))
			}
		}
		at := g.r.Intn(len(top) + 1)
		top = append(top[:at:at], append([]string{g.kv("hooks", g.seq("{", "}", ev))}, top[at:]...)...)
	}
	return g.ws() + g.seq("{", "}", top) + g.ws()
}

// TestRandomSettings installs into settings that were made by chance, with comments and white space everywhere.
func TestRandomSettings(t *testing.T) { runRandomSettings(t, 12) }

func runRandomSettings(t *testing.T, seeds int) {
	for seed := range seeds {
		g := gen{rand.New(rand.NewSource(int64(seed)))}
		text := []byte(g.file())
		s, e := ReadSettings(text)
		if e != nil {
			continue
		}
		rest, e := Remove(text, false)
		if e != nil || len(ownEntries(rest)) > 0 {
			t.Fatalf("%d %v\n%s\n%s", seed, e, text, rest)
		}
		if rest != nil && len(s.Ours()) == 0 && string(rest) != string(text) {
			t.Fatal(seed)
		}
		for _, w := range []string{`"command": "x"`, `"s"`, `"d"`, "[1,2]", `"// x"`, "null"} {
			if strings.Count(string(text), w) != strings.Count(string(rest), w) {
				t.Errorf("%d lost %s\n%s\n--\n%s", seed, w, text, rest)
			}
		}
		if rest == nil {
			continue
		}
		for _, a := range []string{"claude", "copilot"} {
			thereAndBack(t, a, rest)
		}
	}
}
