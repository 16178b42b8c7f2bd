package github

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func readEvent(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// GitHub's own examples.
func TestParseEventExamples(t *testing.T) {
	hello := Event{
		Name: "pull_request", Repository: "Codertocat/Hello-World", RepositoryID: "186853002", DefaultBranch: "master",
		Number: 2, HeadSHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", BaseSHA: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
		BaseBranch: "master", Sender: "Codertocat", SenderID: "21031067",
	}
	for _, c := range []struct {
		file string
		want func(Event) Event
	}{
		{"webhook.pull_request.opened", func(e Event) Event { e.Action = "opened"; return e }},
		{"webhook.pull_request.synchronize", func(e Event) Event { e.Action = "synchronize"; return e }},
		{"webhook.pull_request.labeled", func(e Event) Event { e.Action, e.Label = "labeled", "bug"; return e }},
		{"webhook.pull_request.unlabeled", func(e Event) Event { e.Action, e.Label = "unlabeled", "bug"; return e }},
	} {
		got, err := ParseEvent("pull_request", readEvent(t, c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
		} else if want := c.want(hello); *got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.file, *got, want)
		}
	}
	got, err := ParseEvent("merge_group", readEvent(t, "webhook.merge_group.checks_requested"))
	want := Event{
		Name: "merge_group", Action: "checks_requested", Repository: "octo-org/octo-repo", RepositoryID: "17273051", DefaultBranch: "main",
		HeadSHA: "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", BaseSHA: "380387fbc80638b734a49e1be1c4dfec1c01b33c", BaseBranch: "main",
		HeadRef: "refs/heads/gh-readonly-queue/main/pr-104-929f8209d40f77f4abc622a499c93a83babdbe64", Sender: "Codertocat", SenderID: "21031067",
	}
	if err != nil || *got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

const (
	someRepo = `"repository":{"id":5,"full_name":"o/r","default_branch":"main"}`
	somePull = `"pull_request":{"number":3,"head":{"ref":"x","sha":"` + idA + `"},"base":{"ref":"main","sha":"` + idB + `"}}`
	idA      = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	idB      = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	queued   = `"merge_group":{"head_sha":"` + idA + `","head_ref":"refs/heads/gh-readonly-queue/main/pr-3-` + idB + `","base_sha":"` + idB + `","base_ref":"refs/heads/main"}`
)

func TestParseEvent(t *testing.T) {
	for _, c := range []struct{ name, event, data, fails string }{
		{"opened", "pull_request", `{"action":"opened",` + somePull + `,` + someRepo + `}`, ""},
		{"reopened", "pull_request", `{"action":"reopened",` + somePull + `,` + someRepo + `}`, ""},
		{"ready", "pull_request", `{"action":"ready_for_review",` + somePull + `,` + someRepo + `}`, ""},
		{"retargeted", "pull_request", `{"action":"edited","changes":{},` + somePull + `,` + someRepo + `}`, ""},
		{"no sender, a label that is null", "pull_request", `{"action":"labeled","label":null,"sender":null,` + somePull + `,` + someRepo + `}`, ""},
		{"a label that is not the event's", "pull_request", `{"action":"edited","label":{"name":"x"},` + somePull + `,` + someRepo + `}`, ""},
		{"a group", "merge_group", `{"action":"checks_requested",` + queued + `,` + someRepo + `}`, ""},

		{"closed", "pull_request", `{"action":"closed",` + somePull + `,` + someRepo + `}`, `the action "closed" of pull_request cannot change the decision`},
		{"another case", "pull_request", `{"action":"Opened",` + somePull + `,` + someRepo + `}`, `the action "Opened"`},
		{"no action", "pull_request", `{` + somePull + `,` + someRepo + `}`, `the action ""`},
		{"destroyed", "merge_group", `{"action":"destroyed",` + queued + `,` + someRepo + `}`, `requests no check`},
		{"target", "pull_request_target", `{}`, "pull_request_target runs with secrets"},
		{"workflow_run", "workflow_run", `{}`, "workflow_run is not tied to the pull request"},
		{"push", "push", `{}`, `the event "push" is about no pull request`},
		{"none", "", `{}`, "GITHUB_EVENT_NAME is not set"},
		{"empty", "pull_request", ``, "not a JSON object"},
		{"a list", "pull_request", `[]`, "not a JSON object"},
		{"cut", "pull_request", `{"action":"opened"`, "cannot be read"},
		{"a tail", "pull_request", `{"action":"opened",` + somePull + `,` + someRepo + `} {}`, "cannot be read"},
		{"an action twice", "pull_request", `{"action":"opened","action":"labeled",` + somePull + `,` + someRepo + `}`, "cannot be read"},
		{"a number as text", "pull_request", `{"action":"opened","pull_request":{"number":"3"},` + someRepo + `}`, "cannot be read"},
		{"no repository", "pull_request", `{"action":"opened",` + somePull + `}`, "names no repository"},
		{"a repository without id", "pull_request", `{"action":"opened",` + somePull + `,"repository":{"full_name":"o/r"}}`, "names no repository"},
		{"a repository that is a path", "pull_request", `{"action":"opened",` + somePull + `,"repository":{"id":5,"full_name":"o/r/../x"}}`, "names no repository"},
		{"no pull request", "pull_request", `{"action":"opened",` + someRepo + `}`, "contains no pull request"},
		{"a pull request in another case", "pull_request", `{"action":"opened",` + strings.Replace(somePull, "pull_request", "Pull_Request", 1) + `,` + someRepo + `}`, "contains no pull request"},
		{"number zero", "pull_request", `{"action":"opened",` + strings.Replace(somePull, ":3", ":0", 1) + `,` + someRepo + `}`, "contains no pull request"},
		{"no head", "pull_request", `{"action":"opened",` + strings.Replace(somePull, `"head"`, `"tail"`, 1) + `,` + someRepo + `}`, "contains no pull request"},
		{"a short head", "pull_request", `{"action":"opened",` + strings.Replace(somePull, idA, "aaaa", 1) + `,` + someRepo + `}`, `the head in the event's payload is "aaaa"`},
		{"an upper-case base", "pull_request", `{"action":"opened",` + strings.Replace(somePull, idB, strings.ToUpper(idB), 1) + `,` + someRepo + `}`, `the base in the event's payload`},
		{"no group", "merge_group", `{"action":"checks_requested",` + someRepo + `}`, "contains no merge group"},
		{"a group into a tag", "merge_group", `{"action":"checks_requested",` + strings.Replace(queued, "refs/heads/main\"}", "refs/tags/main\"}", 1) + `,` + someRepo + `}`, `the merge group's base is "refs/tags/main"`},
		{"a group into nothing", "merge_group", `{"action":"checks_requested",` + strings.Replace(queued, "refs/heads/main\"}", "refs/heads/\"}", 1) + `,` + someRepo + `}`, `the merge group's base`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := ParseEvent(c.event, []byte(c.data))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %+v, %v", e, err)
				}
				return
			}
			if err != nil || e.HeadSHA != idA || e.BaseSHA != idB || e.BaseBranch != "main" || e.RepositoryID != "5" || e.Label != "" {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
	if _, err := ParseEvent("pull_request", make([]byte, MaxEvent+1)); err == nil || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("too large: %v", err)
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add("pull_request", []byte(`{"action":"opened",`+somePull+`,`+someRepo+`}`))
	f.Add("merge_group", []byte(`{"action":"checks_requested",`+queued+`,`+someRepo+`}`))
	f.Add("pull_request", readEvent(f, "webhook.pull_request.labeled.with-organization"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e, err := ParseEvent(name, data)
		if err != nil {
			return
		}
		if e.Name != name || !isObjectID(e.HeadSHA) || !isObjectID(e.BaseSHA) || e.BaseBranch == "" ||
			(name == "pull_request") != (e.Number > 0) || !repositorySyntax().MatchString(e.Repository) {
			t.Errorf("accepted %+v", e)
		}
	})
}
