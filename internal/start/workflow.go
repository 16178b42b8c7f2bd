package start

import (
	"bytes"
	_ "embed"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/input"
)

// twoJobs is docs/workflows/two-jobs.yml: a test compares the two.
//
//go:embed two-jobs.yml
var twoJobs []byte

// The places of the workflow that depend on the repository.
const (
	toolsPlace = "      # Insert actions that install tools here, such as actions/setup-node. Put scripts into SETUP.\n"
	crossPlace = "\n  cross:\n"
	setupPlace = "  SETUP: \"\"\n"
	judgePlace = "          bundle: closeout-bundle\n"
	rulesPlace = ` --rules "$RULES"`
	rulesStart = "        env:\n          # Bash script that writes the rule report"
	rulesEnd   = "        # exec: "
)

// workflow is the workflow of two jobs in observe mode, with the setup of what was found. The contract that is written with it, own,
// says itself which command writes the rule report, or that there is none: the variable for another contract is left out.
func (s *starter) workflow(own bool) ([]byte, error) {
	record, cross, found := bytes.Cut(twoJobs, []byte(crossPlace))
	if !found {
		return nil, errors.New("the workflow that init writes lacks the job cross")
	}
	if own {
		before, rest, isThere := bytes.Cut(record, []byte(rulesStart))
		_, after, hasEnd := bytes.Cut(rest, []byte(rulesEnd))
		if !isThere || !hasEnd || !bytes.Contains(after, []byte(rulesPlace)) {
			return nil, errors.New("the workflow that init writes lacks RULES")
		}
		record = slices.Concat(before, []byte(rulesEnd), bytes.Replace(after, []byte(rulesPlace), nil, 1))
	}
	// Only the first job may restore a cache: any change can write it.
	record = bytes.Replace(record, []byte(toolsPlace), []byte(toolsPlace+s.setupSteps(false)), 1)
	cross = bytes.Replace(cross, []byte(toolsPlace), []byte(s.setupSteps(true)), 1)
	data := slices.Concat(record, []byte(crossPlace), cross)
	for _, change := range []struct{ place, text string }{
		{setupPlace, s.setupScript()},
		{judgePlace, judgePlace + "          " + lint.RolloutNote + "\n          mode: observe\n"},
	} {
		if bytes.Count(data, []byte(change.place)) != 1 {
			return nil, errors.New("the workflow that init writes lacks the place for " + strings.TrimSpace(change.place))
		}
		data = bytes.Replace(data, []byte(change.place), []byte(change.text), 1)
	}
	return data, nil
}

// setupScript is the value of SETUP.
func (s *starter) setupScript() string {
	if len(s.setup) == 0 {
		return setupPlace
	}
	text := "  SETUP: |\n"
	for _, line := range s.setup {
		if strings.ContainsFunc(line, unicode.IsControl) || strings.Contains(line, "${{") || strings.ToValidUTF8(line, "") != line {
			continue // the name of a directory that no line of a workflow can contain
		}
		text += "    " + line + "\n"
	}
	if text == "  SETUP: |\n" {
		return setupPlace
	}
	return text
}

// setupSteps are the steps that install tools: those that a workflow of the repository pins to a commit already, with the inputs that it
// has there. For any other, a comment names the action: which commit to trust is for a person to decide. noCache keeps them from
// restoring caches.
func (s *starter) setupSteps(noCache bool) string {
	var steps, missing []string
	for _, tool := range s.tools {
		action := toolchain.ActionOf(tool)
		pin, inputs := s.pinOf(action.Uses)
		if pin == "" || (action.Asks && inputs == nil) {
			missing = append(missing, action.Uses)
			continue
		}
		if inputs == nil {
			inputs = []string{s.versionOf(tool, action.With)}
		}
		if noCache {
			inputs = append(inputs, action.NoCache)
		}
		step, with := "      - uses: "+pin+"\n", "        with:\n"
		for _, input := range inputs {
			if input != "" {
				step += with + "          " + input + "\n"
				with = ""
			}
		}
		steps = append(steps, step)
	}
	text := strings.Join(steps, "")
	if len(missing) > 0 {
		text = "      # Add a step here if the version of the runner does not fit: " + strings.Join(missing, ", ") + ", pinned to a commit.\n" + text
	}
	return text
}

// versionOf is the input that says which version of a tool the repository needs.
func (s *starter) versionOf(tool, fallback string) string {
	switch tool {
	case "go":
		if dirs := s.dirsOf("go.mod"); len(dirs) > 0 && printable(dirs[0]) && strings.Trim(input.ShellWord(dirs[0]), "'") == dirs[0] {
			return "go-version-file: " + join(dirs[0], "go.mod")
		}
	case "node":
		if file := s.first(".", ".nvmrc", ".node-version"); file != "" {
			return "node-version-file: " + file
		}
	case "python":
		if s.has(".python-version") {
			return "python-version-file: .python-version"
		}
	case "pnpm":
		if pkg := s.json("package.json"); !strings.HasPrefix(pkg.At("packageManager").Text, "pnpm@") {
			return "version: latest"
		}
	}
	return fallback
}

// pinned is an action that a workflow uses at a commit, with the comment that names its version.
const pinned = `uses: ["']?([\w./-]+@[0-9a-f]{40})["']?([ \t]+# v?\d[\w.]*)?[ \t]*(?:\n|$)`

// pinOf is the commit at which a workflow of the repository uses an action, and the inputs that it has there; "" when none does.
func (s *starter) pinOf(action string) (pin string, inputs []string) {
	pattern := regexp.MustCompile(pinned)
	for _, f := range s.files {
		if path.Dir(f.Path) != ".github/workflows" {
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(s.text(f.Path), -1) {
			if strings.HasPrefix(m[1], action+"@") {
				return m[1] + m[2], inputsOf(s.text(f.Path), m[1])
			}
		}
	}
	return "", nil
}

// inputsOf are the inputs of the first step of a workflow that uses an action, as lines: plain values, and of a matrix the last one. A
// cache is none of them, since a change can write it.
func inputsOf(text, uses string) (inputs []string) {
	root := input.ParseWorkflow([]byte(text), maxWorkflowDepth, &input.Errors{})
	if root == nil || root.Kind != input.KindObject || root.Member("jobs") == nil {
		return nil
	}
	for _, job := range root.Member("jobs").Members {
		steps := job.Value.Member("steps")
		for i := 0; steps != nil && i < len(steps.Items); i++ {
			step := steps.Items[i]
			if step.At("uses").Text != uses {
				continue
			}
			for _, m := range step.At("with").Members {
				value := plainInput(job.Value, m.Value)
				if value != "" && matches(`^[\w-]+$`, m.Key) && !strings.Contains(m.Key, "cache") {
					inputs = append(inputs, m.Key+": "+quote(value))
				}
			}
			return inputs
		}
	}
	return nil
}

const maxWorkflowDepth = 60

// plainInput is the value of an input; "" when only a run knows it.
func plainInput(job, value *input.Node) string {
	text := value.Text
	if m := regexp.MustCompile(`^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$`).FindStringSubmatch(text); m != nil {
		text = ""
		if list := job.At("strategy", "matrix", m[1]).Items; len(list) > 0 {
			text = list[len(list)-1].Text
		}
	}
	if strings.Contains(text, "${{") || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 100 {
		return ""
	}
	return text
}
