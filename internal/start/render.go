package start

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify"
)

// section is a key of the contract with its value.
type section struct {
	key, comment string
	text         string    // a text
	list         []string  // patterns, one per line
	objects      []members // objects, one per line in JSON
	comments     []string  // of the objects
	object       members   // an object
}

// member is a key of a small object, with its value as JSON and a comment.
type members []pair

type pair struct{ key, value string }

// sections is the contract, in the order in which a person reads it.
func (s *starter) sections() []section {
	list := []section{
		{key: "allowed_files", comment: "What a change may touch: the directories and files that are tracked, and new packages. Everything else is off scope.", list: s.allowed()},
		{key: "forbidden_files", comment: "What no change may touch, even where allowed_files matches it. Add your migrations and releases.", list: s.forbidden()},
	}
	var criteria []members
	var comments []string
	for _, c := range s.criteria {
		criteria, comments = append(criteria, c.members()), append(comments, c.why)
	}
	list = append(list, section{key: "acceptance_criteria", comment: "The commands that prove a change.", objects: criteria, comments: comments})
	if blocks, which, offer := s.tests(); blocks != nil {
		comment := "Where the tests are. Those of the base branch also run on the code of a change."
		comment += "\n# new_tests: warn in an entry asks for a test that fails without the change."
		if offer != "" {
			comment += "\n# Perhaps " + offer + "."
		}
		list = append(list, section{key: "tests", comment: comment, objects: blocks, comments: which})
	}
	if bots := s.updateBots(); bots != nil {
		list = append(list, section{
			key: "applies_to", comment: "Update bots, whose own verified commits are not held to allowed_files and protected files.",
			object: members{{"except", "[" + strings.Join(bots, ", ") + "]"}},
		})
	}
	if s.solo {
		list = append(list, section{
			key: "override", comment: "The only maintainer overrides as author, but never what an agent has a part in: let it open pull requests from its own account.",
			object: members{{"self", "true"}, {"never", array([]string{"evidence.digest_mismatch"})}},
		})
	}
	return append(list,
		s.rules(),
		section{key: "rollback_plan", comment: "How to undo a change.", text: "Revert the merge commit."},
	)
}

// updateBots are the accounts of the update bots that the repository has configured, as objects.
func (s *starter) updateBots() (bots []string) {
	for _, bot := range []struct {
		login string
		files []string
	}{
		{"dependabot[bot]", []string{".github/dependabot.yml", ".github/dependabot.yaml"}},
		{"renovate[bot]", []string{"renovate.json", "renovate.json5", ".renovaterc", ".renovaterc.json", ".github/renovate.json", ".github/renovate.json5"}},
	} {
		if s.first(".", bot.files...) != "" {
			bots = append(bots, members{{"login", quote(bot.login)}}.inline())
		}
	}
	return bots
}

func (s *starter) rules() section {
	if len(s.linters) == 0 {
		return section{key: "rules", comment: "There is no linter: no rule report is required.", object: members{{"required", "false"}}}
	}
	run := []string{"sh", rulesScript}
	if l := s.linters[0]; len(s.linters) == 1 && l.sarif != nil {
		run = words(l.run, l.sarif)
	} else {
		for _, l := range s.linters {
			run = append(run, l.asArgument())
		}
	}
	return section{key: "rules", comment: "The command that runs the linters and writes the rule report.", object: members{
		{"run", array(run)}, {"report", quote(rulesReport)},
	}}
}

func (c *criterion) members() members {
	m := members{{"id", quote(c.id)}, {"run", array(c.run)}}
	if c.cwd != "." {
		m = append(m, pair{"cwd", quote(c.cwd)})
	}
	if c.report != "" {
		report := quote(c.report)
		if c.stdout {
			report = members{{"path", report}, {"from", quote("stdout")}}.inline()
		}
		m = append(m, pair{"test_report", report}, pair{"min_tests", strconv.Itoa(c.tests)})
	}
	return m
}

// quote writes a text as JSON, which YAML reads too.
func quote(text string) string {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "�"))
	if err != nil { // the text is valid UTF-8
		return strconv.Quote(text)
	}
	return string(quoted)
}

func array(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// inline writes an object on one line.
func (m members) inline() string {
	parts := make([]string, len(m))
	for i, p := range m {
		parts[i] = quote(p.key) + ": " + p.value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// schemaURL is where editors find the schema of this version.
const schemaURL = "https://raw.githubusercontent.com/closeout-gate/closeout/v" + verify.Version + "/schema/scope_contract.schema.json"

// render writes the contract.
func render(sections []section, yaml bool) []byte {
	var b bytes.Buffer
	if yaml {
		b.WriteString("# yaml-language-server: $schema=" + schemaURL + "\n# The scope contract of this repository: what a change may touch, and which commands prove it.\n# closeout init wrote it. Everything in it may be changed; closeout schema scope_contract describes every key.\n")
		for _, s := range sections {
			s.yaml(&b)
		}
		return b.Bytes()
	}
	b.WriteString("{\n  \"$schema\": \"" + schemaURL + "\",\n")
	for i, s := range sections {
		b.WriteString("  " + quote(s.key) + ": " + s.json())
		if i < len(sections)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// items are the lines of a list; nil when the section is none.
func (s *section) items() (items []string) {
	for _, p := range s.list {
		items = append(items, quote(p))
	}
	for _, o := range s.objects {
		items = append(items, o.inline())
	}
	return items
}

func (s *section) json() string {
	if items := s.items(); items != nil {
		return "[\n    " + strings.Join(items, ",\n    ") + "\n  ]"
	}
	if s.object != nil {
		return s.object.inline()
	}
	return quote(s.text)
}

func (s *section) yaml(b *bytes.Buffer) {
	b.WriteString("\n# " + s.comment + "\n" + s.key + ":")
	switch {
	case s.list != nil:
		for _, p := range s.list {
			b.WriteString("\n  - " + quote(p))
		}
	case s.objects != nil:
		for i, o := range s.objects {
			b.WriteString("\n  # " + s.comments[i] + "\n  -" + o.yaml("    ")[len("\n   "):])
		}
	case s.object != nil:
		b.WriteString(s.object.yaml("  "))
	default:
		b.WriteString(" " + quote(s.text))
	}
	b.WriteByte('\n')
}

// yaml writes an object as a block, each key on a line of its own.
func (m members) yaml(indent string) string {
	var b strings.Builder
	for _, p := range m {
		b.WriteString("\n" + indent + p.key + ": " + p.value)
	}
	return b.String()
}
