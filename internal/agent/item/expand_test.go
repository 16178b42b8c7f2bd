package item_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

func TestReadList(t *testing.T) {
	for name, c := range map[string]struct {
		text, column string
		want         string // the items, or the error after the file's name
	}{
		"lines":                   {"a\nb c\n", "", "a|b c"},
		"without a last line end": {"a\nb", "", "a|b"},
		"from Windows":            {"\ufeffa\r\nb\r\n", "", "a|b"},
		"empty":                   {"", "", ":1: the list has 0 items: expected 1 to 100000"},
		"an empty line":           {"a\n\nb\n", "", ":2: the line is empty: remove it"},
		"an item twice":           {"a\nb\na\n", "", `:3: the item "a" is in line 1 as well: remove one of them`},
		"a blank":                 {"a\n b\n", "", `:2: there is a blank before or after the item " b": remove it`},
		"a control character":     {"a\x1b[2J\n", "", `:1: the item "a\x1b[2J" contains a control character: remove it`},
		"a NUL":                   {"a\x00\n", "", `:1: the item "a\x00" contains a control character: remove it`},
		"not UTF-8":               {"a\n\xff\n", "", ":1: the list is not UTF-8: save it as UTF-8"},
		"too long":                {strings.Repeat("a", 1001), "", ":1: the item has 1001 bytes: expected at most 1000"},
		"CSV":                     {"id,name\n1,a\n2,\"b, \"\"c\"\"\"\n", "name", `a|b, "c"`},
		"CSV with line ends":      {"name,text\r\na,\"x\r\ny\"\r\nb,z\r\n", "name", "a|b"},
		"no such column":          {"id,name\n1,a\n", "email", `:1: the header must have one column "email", found "id, name"`},
		"a column twice":          {"a,a\n1,2\n", "a", `:1: the header must have one column "a", found "a, a"`},
		"a short row":             {"a,b\n1,2\n3\n", "a", ":3: this is no CSV: wrong number of fields"},
		"a quote":                 {"a\n\"x\ny\n", "a", `:2: this is no CSV: extraneous or missing " in quoted-field`},
		"only a header":           {"a\n", "a", ":1: the list has 0 items: expected 1 to 100000"},
		"an empty cell":           {"a,b\n1,2\n\"\",3\n", "a", ":3: the line is empty: remove it"},
		"a row after a long one":  {"a,b\n\"x\",\"1\n2\"\n\"x\",3\n", "a", `:4: the item "x" is in line 2 as well: remove one of them`},
	} {
		_, rows, err := item.ReadList("list", []byte(c.text), c.column)
		var items []string
		for _, r := range rows {
			items = append(items, r.Item)
		}
		got := strings.Join(items, "|")
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "list")
		}
		if got != c.want && !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, _, err := item.ReadList("list", []byte(strings.Repeat("a\n", 100_001)), ""); err == nil || !strings.Contains(err.Error(), "100001 items") {
		t.Errorf("too many: %v", err)
	}
}

func TestID(t *testing.T) {
	for text, want := range map[string]string{
		"parse_header": "parse_header-", "src/app/[id]/page.tsx": "src-app-id-page-tsx-", "**": "item-", "../..": "item-", "Größe": "gr-e-", "_x": "x-", "-": "item-",
		strings.Repeat("ab", 40): strings.Repeat("ab", 20) + "-", "a" + strings.Repeat(".", 50) + "b": "a-b-",
	} {
		id := item.ID(text, 6)
		if !strings.HasPrefix(id, want) || len(id) != len(want)+6 || !contract.ValidTaskID(id) {
			t.Errorf("%q is named %s, expected %s…", text, id, want)
		}
	}
}

const template = `{"goal": "Test {{item}} of {{col:file}}", "rollback_plan": "revert", "x-example": "for {{item}}",
"allowed_files": ["tests/{{item}}.py", "{{col:file}}"], "forbidden_files": ["x/**"],
"acceptance_criteria": [{"id": "unit", "run": ["pytest", "-k", "{{item}} and not slow"]}, "pytest -q \"{{col:file}}\""]}`

// contractOf is the contract of an item, of a template in JSON.
func contractOf(text, name, file string) (*contract.Contract, error) {
	tmpl, err := item.ReadTemplate("t.json", []byte(text), []string{"name", "file"})
	if err != nil {
		return nil, err
	}
	data, err := tmpl.Contract(item.ID(name, 6), item.Row{Item: name, Values: []string{name, file}})
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		return nil, fmt.Errorf("no JSON: %s", data)
	}
	c, errs := contract.Parse("c.json", data, input.DefaultLimits())
	for _, e := range errs.All() {
		return c, fmt.Errorf("%s: %s", e, e.Found)
	}
	return c, nil
}

// TestTemplate wants an item to stand for itself alone, wherever it is put.
func TestTemplate(t *testing.T) {
	for _, name := range []string{"parse", "a b", `x", "y`, "a\\b", "{{item}}", "{{col:file}}", "$(rm -rf x)", "'; rm x", "[id]", "a,b", "{a,b}", "*", "**", "!a", "a*?b", "a$"} {
		c, err := contractOf(template, name, "src/a.py")
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if c.Goal.Value != "Test "+name+" of src/a.py" || c.Example != "for "+name {
			t.Errorf("%q: the goal is %q, the example %q", name, c.Goal.Value, c.Example)
		}
		if path, ok := c.AllowedFiles[0].Glob.Literal(); !ok || path != "tests/"+name+".py" || len(c.AllowedFiles) != 2 {
			t.Errorf("%q: allowed is %v", name, c.AllowedFiles)
		}
		if got := c.Criteria[0].Run; !slices.Equal(got, []string{"pytest", "-k", name + " and not slow"}) {
			t.Errorf("%q: the command is %q", name, got)
		}
		if got := c.Criteria[1].Run; len(c.Criteria) != 2 || !slices.Equal(got, []string{"pytest", "-q", "src/a.py"}) {
			t.Errorf("%q: the other command is %q", name, got)
		}
	}
}

// TestTemplateRefused has what a template or an item may not do, and beside it what is harmless.
func TestTemplateRefused(t *testing.T) {
	for _, c := range []struct{ old, new, item, want string }{
		{"", "", "../x", `t.json:2:19: "../x" cannot be part of a pattern`},
		{"", "", "/etc", "cannot be part of a pattern"},
		{"", "", "a//b", "cannot be part of a pattern"},
		{"", "", "a/", "cannot be part of a pattern"},
		{"", "", "a/b", ""},
		{"tests/{{item}}.py", "tests/[{{item}}].py", "a-z", "cannot be part of a pattern"},
		{"tests/{{item}}.py", "tests/[ab]/{{item}}.py", "a-z", ""},
		{"tests/{{item}}.py", "tests/{x,{{item}}}.py", "a,b", ""},
		{`"-k", "{{item}} and not slow"`, `"{{item}}"`, "--collect-only", `the item "--collect-only" would be an option of the command`},
		{`"-k", "{{item}} and not slow"`, `"{{item}}"`, "collect-only", ""},
		{`"-k", "{{item}} and not slow"`, `"--only={{item}}"`, "--x", ""},
		{`"pytest", "-k", "{{item}} and not slow"`, `"{{item}}"`, "a", "a placeholder cannot be part of a program"},
		{`"pytest", "-k", "{{item}} and not slow"`, `"bash", "-ec", "echo {{item}}"`, "a", "a placeholder cannot be part of a program"},
		{`"pytest", "-k", "{{item}} and not slow"`, `"env", "/bin/sh", "-c", "echo {{item}}"`, "a", "a placeholder cannot be part of a program"},
		{`"pytest", "-k", "{{item}} and not slow"`, `"bash", "-ec", "echo \"$1\"", "-", "{{item}}"`, "a", ""},
		{"{{item}}", "x", "a", ""},
		{"{{item}} of", "{{ITEM}} of", "a", `unknown placeholder "{{ITEM}}": expected {{item}}`},
		{"{{item}} of", "{{col:other}} of", "a", "unknown placeholder"},
		{"{{item}} of", "{{item of", "a", "unknown placeholder"},
		{`"goal"`, `"task_id": "x", "goal"`, "a", "scan gives each item a task_id of its own"},
		{`"x-example"`, `"x-{{item}}"`, "a", "a key cannot contain a placeholder"},
		{`"goal"`, `"goal": "x", "goal"`, "a", "occurs twice"},
		{`"pytest -q \"{{col:file}}\""`, `"pytest {{item}}"`, "a", "write the command as a list of words"},
		{`"unit"`, `"{{item}}"`, "a b", "id"},
		{`"rollback_plan": "revert",`, "", "a", "rollback_plan"},
	} {
		text := strings.Replace(template, c.old, c.new, 1)
		_, err := contractOf(text, c.item, "src/a.py")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s with %q: %v", c.old, c.new, c.item, err)
		}
	}
	for text, want := range map[string]string{
		`["{{item}}"]`: "must be an object", `{"goal": "x"}`: "no text contains {{item}}", `{`: "t.json:1:", "": "t.json:1:", "{\"goal\": \"\xff{{item}}\"}": "UTF-8",
	} {
		if _, err := item.ReadTemplate("t.json", []byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	yaml := "goal: \"Do {{item}}\"\nrollback_plan: revert\nallowed_files: ['src/{{item}}']\nforbidden_files: [x/**]\nviolation_budget: 2\nrules: {required: false}\nnetwork_egress: null\n"
	tmpl, err := item.ReadTemplate("t.yaml", []byte(yaml), nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tmpl.Contract("id", item.Row{Item: "a"})
	want := `{"task_id":"id",` + "\n" + `"goal":"Do a",` + "\n" + `"rollback_plan":"revert",` + "\n" + `"allowed_files":["src/a"],` + "\n" + `"forbidden_files":["x/**"],` + "\n" +
		`"violation_budget":2,` + "\n" + `"rules":{"required":false},` + "\n" + `"network_egress":null}` + "\n"
	if err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}

// FuzzTemplate wants no item to add a key, a criterion, a word or a pattern, or to widen a pattern.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"a", "**", "../x", "{a,b}", `a","b`, "[!a]", "a\\", "é", "--x", "$HOME", "~", "a b", "!x", "]", "^a", "a$", "${x}", "C:\\x"} {
		f.Add(s, "b")
	}
	const wide = `{"goal": "g {{item}}", "rollback_plan": "r", "allowed_files": ["{{item}}/*.py", "a/{x,{{item}}}/b"], "forbidden_files": ["{{col:file}}"],
"acceptance_criteria": [{"id": "u", "run": ["p", "{{item}}"]}]}`
	f.Fuzz(func(t *testing.T, name, file string) {
		if _, _, err := item.ReadList("l", []byte(name), ""); err != nil {
			return
		}
		c, err := contractOf(wide, name, file)
		if err != nil {
			return
		}
		if len(c.AllowedFiles) != 2 || len(c.ForbiddenFiles) != 1 || len(c.Criteria) != 1 || !slices.Equal(c.Criteria[0].Run, []string{"p", name}) {
			t.Fatalf("%q and %q make %+v", name, file, c)
		}
		if path, ok := c.ForbiddenFiles[0].Glob.Literal(); !ok || path != file {
			t.Fatalf("%q is not literal in %s", file, c.ForbiddenFiles[0].Value)
		}
		set := glob.Compile([]glob.Pattern{c.AllowedFiles[0].Glob, c.AllowedFiles[1].Glob})
		for path, want := range map[string]bool{name + "/q.py": true, "a/" + name + "/b": true, "a/x/b": true, "zq/q.py": name == "zq", "a/zq/b": name == "zq", "q.py": false} {
			if set.Match(path) != want && !strings.Contains(path, "//") {
				t.Fatalf("%q: %q matches is %t", name, path, !want)
			}
		}
	})
}
