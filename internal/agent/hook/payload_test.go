package hook

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden answers")

// TestPayloads reads payloads of each agent and event, and compares what is understood and the bytes of every answer. The first
// line of a file says where its payload comes from.
func TestPayloads(t *testing.T) {
	files, err := filepath.Glob("testdata/payloads/*.txtar")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d payloads: %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		agent := Agent("")
		if strings.Contains(string(archive.Comment), "--agent") {
			name, _, _ := strings.Cut(filepath.Base(file), "_")
			agent = Agent(name)
		}
		c, err := Read(archive.Files[0].Data, agent, "")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got := understood(c)
		if *update {
			archive.Files[1].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := string(archive.Files[1].Data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

// understood is what a payload was read as, and what each answer to it would be.
func understood(c *Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "agent %s, event %q, session %q, tool %q, dirs %q\n", c.Agent, c.Event, c.Session, c.Tool, c.Dirs)
	fmt.Fprintf(&b, "failed %t, again %t, running %t, aborted %t, shell %t\n", c.Failed, c.Again, c.Running, c.Aborted, c.Shell())
	for _, touch := range c.Touches() {
		fmt.Fprintf(&b, "touches %+v\n", touch)
	}
	answers := []string{"silent"}
	list := []Answer{c.Silent()}
	switch c.Event {
	case Pre:
		answers, list = append(answers, "deny", "tell"), append(list, c.Deny("no"), c.Tell("note"))
	case Post, Start:
		answers, list = append(answers, "tell"), append(list, c.Tell("note"))
	case Stop:
		answers, list = append(answers, "block", "pass"), append(list, c.Block("no"), c.Pass("not proven"))
	}
	for i, a := range list {
		fmt.Fprintf(&b, "%s: exit %d, stdout %q, stderr %q\n", answers[i], a.Exit, a.Stdout, a.Stderr)
	}
	return b.String()
}

// TestReadHostile reads what a model may make an agent send: no second reading may be milder than the agent's.
func TestReadHostile(t *testing.T) {
	for name, c := range map[string]struct {
		payload string
		want    []string // touched paths
	}{
		"a key twice":           {`{"tool_name":"Write","tool_input":{"file_path":"/a","file_path":"/b"}}`, []string{"/a", "/b"}},
		"arguments twice":       {`{"tool_name":"Write","tool_input":{"file_path":"/a"},"tool_input":{"file_path":"/b"}}`, []string{"/a", "/b"}},
		"an escaped key":        {`{"tool_name":"Write","tool_input":{"file\u005fpath":"/a"}}`, []string{"/a"}},
		"a key in another form": {`{"tool_name":"Write","tool_input":{"filePath":"/a","File-Path":"/b"}}`, []string{"/a", "/b"}},
		"an escaped path":       {`{"tool_name":"Write","tool_input":{"file_path":"\/\u0061"}}`, []string{"/a"}},
		"broken UTF-8":          {"{\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"/a\xff\"}}", []string{"/a\ufffd"}},
		"half a pair":           {`{"tool_name":"Write","tool_input":{"file_path":"/a\ud800"}}`, []string{"/a\ufffd"}},
		"a list of paths":       {`{"tool_name":"Edit","tool_input":{"edits":[{"x":1},{"file_path":"/a"}],"paths":[["/b"],{"y":0},"/c"]}}`, []string{"/a", "/b", "/c"}},
		"null and numbers":      {`{"tool_name":"Write","cwd":null,"tool_input":{"file_path":null,"path":5,"notebook_path":"/n"}}`, []string{"/n"}},
		"null arguments":        {`{"tool_name":"Write","tool_input":null}`, nil},
		"view and create":       {`{"tool_name":"str_replace_editor","tool_input":{"command":"create","command":"view","path":"/a"}}`, []string{"/a"}},
		"text with keys twice":  {`{"toolName":"edit","toolArgs":"{\"path\":\"/a\",\"path\":\"/b\"}"}`, []string{"/a", "/b"}},
		"another directory":     {`{"tool_name":"apply_patch","tool_input":{"command":"*** Update File: a","workdir":"/w"}}`, []string{"a", "/w: a"}},
		"the name of a tool":    {`{"tool_name":"wRiTe","tool_input":{"file_path":"/a"}}`, []string{"/a"}},
	} {
		call, err := Read([]byte(c.payload), "", Pre)
		var got []string
		for _, touch := range call.Touches() {
			if touch.Dir != "" {
				touch.Path = touch.Dir + ": " + touch.Path
			}
			got = append(got, touch.Path)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, expected %q; %v", name, got, c.want, err)
		}
	}
	for _, bad := range []string{"", "null", "[]", "{", `{"a":1} {}`, `{"a":}`, "\x00", `{"tool_input":{]}`} {
		if _, err := Read([]byte(bad), "", Pre); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	deep := `{"tool_name":"Write","tool_input":{"file_path":"/a","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}}"
	if _, err := Read([]byte(deep), "", Pre); !errors.Is(err, ErrDeep) {
		t.Errorf("a deep payload: %v", err)
	}
}

// TestTouchesOfTools asks about tools of several agents: all that are not known only to read are ruled on by the paths that they name.
func TestTouchesOfTools(t *testing.T) {
	for _, c := range []struct {
		tool, input string
		want        []string
	}{
		{"replace_string_in_file", `{"filePath":"/r/a","oldString":"/x","newString":"/y"}`, []string{"/r/a"}},
		{"multi_replace_string_in_file", `{"explanation":"e","replacements":[{"filePath":"/r/a"},{"filePath":"/r/b"}]}`, []string{"/r/a", "/r/b"}},
		{"insert_edit_into_file", `{"filePath":"/r/a","code":"x"}`, []string{"/r/a"}},
		{"create_file", `{"filePath":"/r/a","content":"x"}`, []string{"/r/a"}},
		{"editFiles", `{"files":["src/a","src/b"]}`, []string{"src/a", "src/b"}},
		{"edit_notebook_file", `{"filePath":"file:///r/a.ipynb"}`, []string{"/r/a.ipynb"}},
		{"mcp__serena__replace_symbol_body", `{"relative_path":"lib/a","body":"x"}`, []string{"lib/a"}},
		{"mcp__fs__write_file", `{"path":"lib/a"}`, []string{"lib/a"}},
		{"mcp__fs__move_file", `{"source":"a","destination":"b"}`, []string{"a", "b"}},
		{"mcp__fs__get_and_replace", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__applyEdit", `{"uri":"FILE:///r/a%20b"}`, []string{"/r/a b"}},
		{"mcp__jetbrains__reformat_file", `{"pathInProject":"lib/a"}`, []string{"lib/a"}},
		{"mcp__github__create_or_update_file", `{"owner":"o","repo":"r","path":"a"}`, nil},
		{"mcp__github__create_or_update_file", `{"path":"/r/a"}`, []string{"/r/a"}},
		{"Scribble", `{"target_file":"/r/a","source":"production"}`, []string{"/r/a"}},
		{"mcp__web__post", `{"uri":"https://example.com/a","path":"HTTPS://example.com"}`, nil},

		{"mcp__jetbrains__get_file_text_by_path", `{"pathInProject":"lib/a"}`, nil},
		{"mcp__fs__read_multiple_files", `{"paths":["/r/a"]}`, nil},
		{"mcp__fs__directory_tree", `{"path":"/r"}`, nil},
		{"mcp__ide__getDiagnostics", `{"uri":"file:///r/a"}`, nil},
		{"mcp__serena__find_symbol", `{"relative_path":"lib/a"}`, nil},
		{"mcp__eslint__lint-files", `{"filePaths":["lib/a"]}`, nil},
		{"pylanceFileSyntaxErrors", `{"fileUri":"file:///r/a"}`, nil},
		{"mcp__language-server__hover", `{"filePath":"a"}`, nil},
		{"mcp__language-server__diagnostics", `{"filePath":"a"}`, nil},
		{"mcp__language-server__references", `{"filePath":"a"}`, nil},
		{"mcp__language-server__definition", `{"filePath":"a"}`, nil},
		{"mcp__lsp__document_symbols", `{"file":"a"}`, nil},
		{"mcp__jetbrains__open_file_in_editor", `{"filePath":"a"}`, nil},
		{"mcp__git__git_blame", `{"file":"a"}`, nil},
		{"mcp__fs__file_exists", `{"path":"a"}`, nil},
		{"mcp__fs__is_directory", `{"path":"a"}`, nil},
		{"mcp__fs__list_edited_files", `{"path":"a"}`, nil},
		{"mcp__db__get_fixtures", `{"path":"a"}`, nil},
		{"mcp__eslint__lint_fix", `{"path":"a"}`, []string{"a"}},
		{"mcp__lsp__rename_symbols", `{"path":"a"}`, []string{"a"}},
		{"mcp__lsp__suppressErrors", `{"path":"a"}`, []string{"a"}},
		{"mcp__fs__writefile", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__multiEdit", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__openAndOverwrite", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__autoformat_symbols", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__format_definition", `{"path":"a"}`, []string{"a"}},
		{"mcp__ide__editor", `{"path":"a"}`, []string{"a"}},
		{"Read", `{"file_path":"/r/a"}`, nil},
		{"Grep", `{"pattern":"x","path":"/r"}`, nil},
		{"Glob", `{"pattern":"x","path":"/r"}`, nil},
		{"LS", `{"path":"/r"}`, nil},
		{"LSP", `{"filePath":"/r/a","operation":"hover"}`, nil},
		{"view", `{"path":"/r/a"}`, nil},
		{"view_image", `{"path":"/r/a"}`, nil},
		{"read_file", `{"filePath":"/r/a"}`, nil},
		{"list_dir", `{"path":"/r"}`, nil},
		{"get_errors", `{"filePaths":["/r/a"]}`, nil},
		{"list_code_usages", `{"filePaths":["/r/a"]}`, nil},
		{"grep_search", `{"includePattern":"src/**","path":"/r"}`, nil},
		{"copilot_getNotebookSummary", `{"filePath":"/r/a"}`, nil},
		{"runTests", `{"files":["/r/a_test.go"]}`, nil},
		{"Bash", `{"command":"cat > lib/a; apply_patch '*** Begin Patch\n*** Add File: b'","cwd":"/r"}`, nil},
		{"run_in_terminal", `{"command":"true","explanation":"e","isBackground":false}`, nil},
		{"Task", `{"description":"d","prompt":"write /r/a","subagent_type":"x"}`, nil},
		{"TodoWrite", `{"todos":[{"content":"c","status":"s"}]}`, nil},
	} {
		call, err := Read([]byte(`{"tool_name":"`+c.tool+`","tool_input":`+c.input+`}`), Claude, Pre)
		var got []string
		for _, touch := range call.Touches() {
			got = append(got, touch.Path)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %q, expected %q; %v", c.tool, c.input, got, c.want, err)
		}
	}
}

// TestURIs reads what programs may take for a file in a URI.
func TestURIs(t *testing.T) {
	for text, want := range map[string][]string{
		"file:///r/a":           {"/r/a"},
		"file:/r/a":             {"/r/a"},
		"FiLe:///r/a":           {"/r/a"},
		"file://localhost/r/a":  {"/r/a"},
		"file://LOCALHOST/r/a":  {"/r/a"},
		"file://host/r/a":       {"//host/r/a", "/r/a"},
		"file:///r/%61%2Fb":     {"/r/a/b"},
		"file:///r/%2e%2e/a":    {"/r/../a"},
		"file:///r/%zz":         {"/r/%zz"},
		"file:///r/a?x#y":       {"/r/a"},
		"file:///r/a%23y":       {"/r/a#y"},
		"file:///C:/r/a":        {"C:/r/a"},
		"file:///c%3A/r/a":      {"c:/r/a"},
		"file://":               {""},
		"file:a":                {"file:a"},
		"files:///r/a":          {"files:///r/a"},
		"untitled:Untitled-1":   {"untitled:Untitled-1"},
		"src/a%20b":             {"src/a%20b"},
		"https://example.com/a": {"https://example.com/a"}, // of a tool that takes paths
	} {
		if got := (&Call{Tool: "Write"}).local(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// TestReadSkipsContent checks that the content of a file costs no memory of its own beyond one copy.
func TestReadSkipsContent(t *testing.T) {
	payload := []byte(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"content":"` + strings.Repeat("x\\n", 10<<20) + `","file_path":"/a"}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if c, err := Read(payload, "", ""); err != nil || len(c.Touches()) != 1 {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if most := uint64(len(payload)) * 5 / 4; allocated > most {
		t.Errorf("%d bytes for a payload of %d", allocated, len(payload))
	}
}

func TestPatch(t *testing.T) {
	text := "<<'EOF'\n*** Begin Patch\r\n  *** Add File: a b.txt \r\n+*** Add File: content\n*** update file:tight\n-*** Delete File: old\n*** Delete File: gone\n*** Move to: x/../y\n*** Add File:\n*** Add File:  two\n"
	want := []Touch{{Path: "a b.txt"}, {Path: "tight"}, {Path: "gone", Deleted: true}, {Path: "x/../y"}, {Path: "two"}, {Path: " two"}}
	if got := Patch(text); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"tool_name":"Write","tool_input":{"file_path":"/a"}}`))
	f.Add([]byte(`{"toolName":"edit","toolArgs":"{\"path\":1}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(data, "", Pre)
		if err != nil {
			return
		}
		touches := c.Touches()
		for _, a := range []Answer{c.Deny("no"), c.Tell("x"), c.Block("no"), c.Pass("m"), c.Silent()} {
			if a.Stdout != "" && !json.Valid([]byte(a.Stdout)) {
				t.Errorf("stdout is no JSON: %q", a.Stdout)
			}
		}
		// What a plain reader finds under the key is found.
		var plain struct {
			Tool  *string `json:"tool_name"`
			Input *struct {
				Path *string `json:"file_path"`
			} `json:"tool_input"`
		}
		if json.Unmarshal(data, &plain) == nil && plain.Tool != nil && plain.Input != nil && plain.Input.Path != nil && c.Tool == "Write" && *plain.Input.Path != "" {
			if strings.Contains(string(data), `"file_path"`) && !slices.ContainsFunc(touches, func(touch Touch) bool { return touch.Path == *plain.Input.Path }) {
				t.Errorf("%q is not among %+v", *plain.Input.Path, touches)
			}
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: a\n*** End Patch")
	f.Fuzz(func(t *testing.T, text string) {
		for _, touch := range Patch(text) {
			if touch.Path == "" || strings.Contains(touch.Path, "\n") {
				t.Errorf("%+v", touch)
			}
		}
		if names := Patch(text + "\n*** Delete File: last"); len(names) == 0 || names[len(names)-1] != (Touch{Path: "last", Deleted: true}) {
			t.Errorf("%+v", names)
		}
	})
}

// TestToolTwice wants the name that may do most to count, in any order, and all of them to be known.
func TestToolTwice(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{`"tool_name":"Write","tool_name":"Read"`, "Write"},
		{`"tool_name":"Read","toolName":"Write"`, "Write"},
		{`"tool_name":"mcp__github__create_file","tool_name":"Edit"`, "Edit"},
		{`"tool_name":"Read","tool_name":"Scribble"`, "Scribble"},
		{`"tool_name":"Read","tool_name":3`, "Read"},
		{`"tool_name":"Read","tool_name":"Read"`, "Read"},
	} {
		call, err := Read([]byte(`{"hook_event_name":"PreToolUse",`+c.names+`,"tool_input":{"file_path":"a"}}`), "", "")
		if err != nil || call.Tool != c.want || len(call.Tools) != 2 || !call.Shell() {
			t.Errorf("%s: %q of %q, %v", c.names, call.Tool, call.Tools, err)
		}
	}
}
