package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// strangers are settings files as people wrote them.
func strangers(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{
		"no bytes between braces": "{}", "a space": "{ }\n", "a line": "{\n}\n", "no final newline": "{\n  \"model\": \"opus\"\n}",
		"hooks without events": "{\"hooks\": {}}\n", "hooks over two lines": "{\n  \"hooks\": {\n  }\n}\n",
		"an event without hooks":    "{\"hooks\": {\"PreToolUse\": [], \"preToolUse\": [ ]}}\n",
		"a comment in an empty one": "{\"hooks\": { // none yet\n}}\n",
		"a comment after the last":  "{\n  \"model\": \"opus\" // why not\n}\n",
		"byte order mark":           bom + "{\r\n  \"model\": \"opus\"\r\n}\r\n",
		"compact":                   `{"permissions":{"allow":["Bash(ls)"]},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`,
		"carriage returns":          "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]},\r\n\t\t],\r\n\t},\r\n}\r\n",
		"comma before a comment":    "{\n  \"a\": 1, /* x, y */\n  \"hooks\": {\"Stop\": [{\"hooks\": []} /* , */]} // ,\n}\n",
		"mentions us":               "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"echo closeout hook run\"}, {\"command\": \"lint; closeout hook run\"}]}]}}\n",
		"foreign shapes":            "{\"hooks\": {\"_comment\": \"x\", \"Other\": {\"a\": 1}, \"Notification\": [1, null, \"closeout hook run\", []]}}\n",
	}
	found, err := filepath.Glob("testdata/settings/*.json")
	if err != nil || len(found) < 6 {
		t.Fatal(len(found), err)
	}
	for _, name := range found {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(text)
	}
	return files
}

var choices = []Choice{{}, {Stop: "always"}, {Fail: "closed", Stop: "off"}, {AllTools: true}}

func TestInstallAndRemove(t *testing.T) {
	for name, before := range strangers(t) {
		for _, agent := range []string{"claude", "codex", "copilot"} {
			t.Run(name+" "+agent, func(t *testing.T) { thereAndBack(t, agent, []byte(before)) })
		}
	}
}

// thereAndBack installs and removes all ways, and compares bytes.
func thereAndBack(t *testing.T, agent string, before []byte) {
	t.Helper()
	first := Entries(agent, choices[0])
	once, err := Install(before, first)
	if err != nil {
		return // nothing is written
	}
	flat := first[0].Flat
	if twice, err := Install(once, first); err != nil || string(twice) != string(once) {
		t.Fatalf("installed twice: %v\n%s", err, twice)
	}
	text := once
	for _, c := range choices[1:] {
		entries := Entries(agent, c)
		if text, err = Install(text, entries); err != nil {
			t.Fatal(err)
		}
		if got := ownEntries(text); len(got) != len(entries) || !Installed(text, agent) {
			t.Fatalf("%d entries of %d:\n%s", len(got), len(entries), text)
		}
	}
	if text, err = Install(text, first); err != nil || string(text) != string(once) {
		t.Fatalf("installed as at first: %v\n%s\nwant\n%s", err, text, once)
	}
	if after, err := Remove(once, flat); err != nil || string(after) != string(before) {
		t.Fatalf("removed: %v\n%q\nwant\n%q\ninstalled\n%s", err, after, before, once)
	}
}

// TestInstalled checks that entries which call closeout in another way, or at too few events, are not what is installed.
func TestInstalled(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "copilot"} {
		text, err := Install(nil, Entries(agent, Choice{}))
		if err != nil {
			t.Fatal(err)
		}
		for name, edit := range map[string][2]string{
			"no edit":       {"", ""},
			"another event": {"--event pre", "--event start"},
			"off":           {"--event stop", "--event stop --stop off"},
			"no time":       {": 10}", ": 0}"},
			"another tool":  {"\"matcher\": \"", "\"matcher\": \"x"},
			"another agent": {"--agent " + agent, "--agent git"},
			"old":           {" --agent " + agent + " --event pre", ""},
			"a key more":    {"{\"type\"", "{\"async\": true, \"type\""},
		} {
			edited := strings.Replace(string(text), edit[0], edit[1], 1)
			if want := name == "no edit"; edited == string(text) != want || Installed([]byte(edited), agent) != want {
				t.Errorf("%s, %s: %v\n%s", agent, name, !want, edited)
			}
		}
		s, _ := ReadSettings(text)
		if Installed(s.without(s.Ours()[0].path), agent) {
			t.Errorf("%s: one is missing", agent)
		}
	}
}

// TestOwnFile checks that a file that was made is deleted.
func TestOwnFile(t *testing.T) {
	for _, agent := range []string{"claude", "codex", "copilot"} {
		entries := Entries(agent, Choice{})
		text, err := Install(nil, entries)
		if err != nil || len(ownEntries(text)) != len(entries) {
			t.Fatal(err, string(text))
		}
		if rest, err := Remove(text, entries[0].Flat); err != nil || rest != nil {
			t.Errorf("%s: %v %q", agent, err, rest)
		}
		edited := strings.Replace(string(text), "{\n", "{\n  \"mine\": true,\n", 1)
		if rest, err := Remove([]byte(edited), entries[0].Flat); err != nil || !strings.Contains(string(rest), `"mine": true`) || strings.Contains(string(rest), "closeout") {
			t.Errorf("%s: %v %q", agent, err, rest)
		}
	}
}

// FuzzSettings installs into any text, and removes.
func FuzzSettings(f *testing.F) {
	for _, text := range strangers(f) {
		f.Add(text)
	}
	installed, _ := Install(nil, Entries("claude", Choice{}))
	f.Add(string(installed))
	f.Add("{\"hooks\": {\"Stop\": [ // c\n{\"command\": \"closeout hook run\"}, 1,\n 2]}}")
	f.Fuzz(func(t *testing.T, text string) {
		before := []byte(text)
		if len(ownEntries(before)) > 0 {
			rest, err := Remove(before, false)
			if err != nil || len(ownEntries(rest)) > 0 {
				t.Fatalf("%v %q", err, rest)
			}
			before = rest
		}
		for _, agent := range []string{"claude", "copilot"} {
			if before != nil && !(agent == "copilot" && string(before) == flatFile) {
				thereAndBack(t, agent, before)
			}
		}
	})
}

// TestForeign checks what stays beside ours.
func TestForeign(t *testing.T) {
	mine := `{"command": "./mine.sh"}`
	for name, c := range map[string]struct{ before, want string }{
		"a line comment before": {"{\"hooks\": {\"Stop\": [1, // c\n{\"command\": \"closeout hook run\"}, 2,\n 3]}}", "{\"hooks\": {\"Stop\": [1, // c\n 2,\n 3]}}"},
		"the only one":          {`{"hooks": {"Stop": [{"command": "closeout hook run"}]}}`, `{"hooks": {"Stop": []}}`},
		"in a group of others":  {`{"hooks": {"Stop": [{"hooks": [{"command": "/opt/closeout hook run --agent claude 2>/dev/null || true"}, ` + mine + `]}]}}`, `{"hooks": {"Stop": [{"hooks": [ ` + mine + `]}]}}`},
		"a described group":     {`{"hooks": {"Stop": [{"description": "x", "hooks": [{"command": "CLOSEOUT_STATE=$HOME/b exec 'closeout' hook run"}]}]}}`, `{"hooks": {"Stop": [{"description": "x", "hooks": []}]}}`},
		"more in one command":   {`{"hooks": {"Stop": [{"command": "lint && closeout hook run"}]}}`, `{"hooks": {"Stop": [{"command": "lint && closeout hook run"}]}}`},
		"a nested command":      {`{"hooks": {"Stop": [{"command": "closeout hook run $(x)"}, {"command": "closeout hook run ` + "`x`" + `"}]}}`, `{"hooks": {"Stop": [{"command": "closeout hook run $(x)"}, {"command": "closeout hook run ` + "`x`" + `"}]}}`},
		"another program":       {`{"hooks": {"Stop": [{"command": "not-closeout hook run"}, {"command": "closeout", "args": ["run"]}]}}`, `{"hooks": {"Stop": [{"command": "not-closeout hook run"}, {"command": "closeout", "args": ["run"]}]}}`},
		"a note after the end":  {"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"closeout hook run\"}\n    ]\n  }\n}\n// mine\n", "{\n  \n}\n// mine\n"},
	} {
		if got, err := Remove([]byte(c.before), false); err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
	installed, _ := Install(nil, Entries("copilot", Choice{}))
	added := strings.Replace(string(installed), "\n    ]", ",\n      "+mine+"\n    ]", 1)
	if again, err := Install([]byte(added), Entries("copilot", Choice{})); err != nil || string(again) != added {
		t.Errorf("an entry of others after ours moved ours: %v\n%s", err, again)
	}
}

// TestTooManyOfOurs checks that a file of nothing but calls does not keep remove busy for minutes.
func TestTooManyOfOurs(t *testing.T) {
	for n, refused := range map[int]bool{20: false, 201: true} {
		text := `{"hooks": {"Stop": [` + strings.Repeat(`{"command": "closeout hook run"},`, n) + `]}}`
		if _, err := Remove([]byte(text), false); (err != nil) != refused {
			t.Error(n, err)
		}
	}
}
