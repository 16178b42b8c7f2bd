package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// command is a command of a contract.
type command struct {
	by        string
	pos       input.Pos
	run       []string
	cwd       string
	criterion *contract.Criterion // nil for rules.run
}

// maxCommands is how many commands of a contract are linted.
const maxCommands = 1000

// commands lints the commands of a contract.
func (l *linter) commands(s *source) {
	var all []command
	for i := range s.contract.Criteria {
		one := &s.contract.Criteria[i]
		if len(one.Run) > 0 {
			all = append(all, command{"the criterion " + one.ID, one.Pos, one.Run, one.Cwd, one})
		}
	}
	if rules := s.contract.Rules; rules.Run != nil {
		all = append(all, command{"rules.run", rules.Pos, rules.Run, ".", nil})
	}
	for i, c := range all {
		if i >= maxCommands {
			l.notChecked(s.path, "the contract names more than 1000 commands", "the rest of the commands")
			return
		}
		c := commandLint{linter: l, source: s, command: c}
		c.vacuous()
		c.program()
		c.arguments()
		c.counts()
		c.cached()
	}
}

// commandLint lints one command.
type commandLint struct {
	*linter
	*source
	command
}

// add reports a finding about the command. What identifies it is the command, not its place in the list.
func (c *commandLint) add(f check.Finding, identity ...string) {
	f.Message = c.by + " (" + proof.CommandLine(c.run) + "): " + f.Message
	f.Path, f.Pos, f.Identity = c.source.path, c.pos, slices.Concat([]string{c.cwd}, c.run, identity)
	c.report(&f)
}

// mustFail reports whether the command is a negative control.
func (c *commandLint) mustFail() bool { return c.criterion != nil && c.criterion.ExpectFail }

func (c *commandLint) vacuous() {
	if c.mustFail() {
		if name := path.Base(unwrapped(c.run)[0]); name == "false" || name == "exit" {
			c.add(check.Finding{
				Code: "lint.vacuous_command", Message: "the negative control fails whatever the code is",
				Expected: "a command that fails because a test fails", Actual: name,
				Fix: "run the test that the missing code breaks: see docs/recipes.md#prove-that-a-test-can-fail",
			})
		}
		return
	}
	if why := vacuous(c.run); why != "" {
		c.add(check.Finding{
			Code: "lint.vacuous_command", Message: why, Expected: "a command that fails when the code is wrong", Actual: why,
			Fix: "name the command that tests the code, without what hides its failure",
		})
	}
}

// program reports a relative program that cannot be run, and with --path one that is not installed.
func (c *commandLint) program() {
	name := c.run[0]
	if mode, ok := c.mode(c.cwd); c.cwd != "." && (!ok || mode != dirMode) && !c.made(c.cwd) {
		c.lacks("lint.command_missing", "the directory "+input.Quote(c.cwd)+" does not exist", c.cwd, c.cwd)
		return
	}
	if strings.HasPrefix(name, "/") {
		return
	}
	if !strings.Contains(name, "/") {
		if c.Program != nil && !c.Program(name) {
			c.add(check.Finding{
				Code: "lint.command_missing", Message: input.Quote(name) + " is not in PATH",
				Expected: "an installed program", Actual: "none",
				Fix: "install it, or correct the name",
			}, name)
		}
		return
	}
	p := path.Join(c.cwd, name)
	if strings.HasPrefix(p, "../") || c.made(p) {
		return
	}
	switch mode, ok := c.mode(p); {
	case !ok:
		c.lacks("lint.command_missing", "the program "+input.Quote(p)+" does not exist", p, name)
	case mode == change.Regular:
		c.add(check.Finding{
			Code: "lint.command_missing", Message: "the program " + input.Quote(p) + " is not executable",
			Expected: "mode 100755", Actual: string(mode),
			Fix: "git update-index --chmod=+x " + proof.CommandLine([]string{p}),
		}, name)
	case mode == dirMode:
		c.add(check.Finding{
			Code: "lint.command_missing", Message: "the program " + input.Quote(p) + " is a directory",
			Expected: "a program", Actual: "a directory",
			Fix: "name the program in it",
		}, name)
	}
}

// made reports whether a path is not in the repository because a command makes it: git ignores it, or it is in a submodule.
func (c *commandLint) made(p string) bool {
	_, tracked := c.tracked(p)
	return !tracked && (c.opaque(p) || c.ignored(p) || c.ignored(p+"/x"))
}

// lacks reports a path that does not exist, with a similar one.
func (c *commandLint) lacks(code, message, p, written string) {
	fix := "correct the path, or add the file"
	if near := c.nearest(p); near != "" {
		if c.cwd != "." {
			near = strings.TrimPrefix(near, c.cwd+"/")
		}
		if strings.HasPrefix(written, "./") {
			near = "./" + near
		}
		fix = "write " + input.Quote(near) + " instead of " + input.Quote(written)
	}
	c.add(check.Finding{
		Code: code, Message: message, Expected: "a path of the repository", Actual: "no such path",
		Fix: fix,
	}, p)
}

// arguments reports words that look like files of the repository and are none.
func (c *commandLint) arguments() {
	argv := unwrapped(c.run)
	if writers.has(path.Base(argv[0])) {
		return
	}
	for i, arg := range c.run[1:] {
		if !outputFlags.has(c.run[i]) {
			c.argument(argv[0], arg)
		}
	}
}

// outputFlags are flags before a path that a command writes.
const outputFlags set = "|" +
	"-o|--output|--out|--junitxml|--junit-xml|--outputFile|--outfile|--output-file|-coverprofile|--coverprofile|--report|" +
	"--log|--html|--xml|--json|--cov-report|--junitfile|--jsonfile|-out|--out-dir|--output-dir|--coverage-dir|-O|-t|" +
	"--log-junit|--logger|--target-dir|--outDir|--tag|"

// writers are programs whose arguments need not exist.
const writers set = "|" +
	"mkdir|touch|rm|tee|cp|mv|git|docker|podman|echo|printf|test|[|cd|kubectl|ln|curl|wget|export|set|grep|find|tar|zip|unzip|" +
	"helm|pip|brew|apt-get|install|"

// sourceExtensions are those of files that commands read.
var sourceExtensions = input.Lazily(`\.(?:py|sh|bash|js|cjs|mjs|jsx|ts|cts|mts|tsx|rb|php|pl|go|rs|java|kt|cs|ex|exs|toml|ya?ml|cfg|ini|mk|cmake|sql|lua|ps1|bats|vue)$`)

// notFile matches what no path of a repository contains, or what is rather a URL, a pattern or the name of a package.
var notFile = input.Lazily(`[\s*?\[\]{}$=<>|;&!"'\\,^~()]|://|^[-/@]|^\.\.?$|^\.\./|\.\.\.$`)

// argument reports a word that looks like a file.
func (c *commandLint) argument(program, word string) {
	written, _, _ := strings.Cut(word, "::")
	written = strings.TrimSuffix(lineSuffix().ReplaceAllString(written, ""), "/")
	name := strings.TrimSuffix(written, "/...")
	if name == "" || len(name) > 500 || notFile().MatchString(name) || (strings.HasSuffix(written, "/...") && !strings.HasPrefix(written, "./")) {
		return
	}
	full := path.Join(c.cwd, name)
	if full == "." || strings.HasPrefix(full, "../") || c.exists(full) || c.made(full) || c.reports(full) {
		return
	}
	if c.looksLikeFile(program, name, full) {
		c.lacks("lint.argument_missing", input.Quote(full)+" does not exist", full, word)
	}
}

var lineSuffix = input.Lazily(`:[0-9]+$`)

// looksLikeFile reports whether a word is so much like a file that its absence is worth a finding.
func (c *commandLint) looksLikeFile(program, name, full string) bool {
	if strings.HasPrefix(name, "./") || sourceExtensions().MatchString(name) {
		return true
	}
	first, _, nested := strings.Cut(name, "/")
	mode, ok := c.tracked(path.Join(strings.TrimSuffix(full, name), first))
	return nested && ok && mode == dirMode && program != "go"
}

// reports reports whether a path is that of a report that a command writes.
func (c *commandLint) reports(p string) bool {
	k := c.contract
	if (k.Coverage != nil && k.Coverage.Report == p) || k.Rules.Report == p {
		return true
	}
	return slices.ContainsFunc(k.Criteria, func(o contract.Criterion) bool { return o.TestReport == p })
}

// counts reports a test runner without a test report: nothing shows how many tests ran.
func (c *commandLint) counts() {
	if c.criterion == nil || c.mustFail() || c.criterion.TestReport != "" || c.rollout {
		return
	}
	_, runner := toolchain.RunnerOf(c.run)
	if runner == nil {
		return
	}
	name, file := path.Base(unwrapped(c.run)[0]), c.evidenceDir()+"/"+c.criterion.ID+".xml"
	how, from := "make "+quoted(name)+" write a JUnit report to "+file, quoted(file)
	if builtIn := &runner.Report; builtIn.Args != nil && builtIn.Package == "" {
		if builtIn.Stdout {
			file = strings.TrimSuffix(file, ".xml") + ".json"
			from = `{"path": ` + quoted(file) + `, "from": "stdout"}`
		}
		how = "add " + quoted(strings.Join(builtIn.Options(file), " ")) + " to the command"
	}
	c.add(check.Finding{
		Code: "lint.no_test_count", Message: "nothing counts the tests that " + name + " runs",
		Expected: `"test_report"`, Actual: "none",
		Fix: how + `, and "test_report": ` + from + ` to the criterion`,
	})
}

// cached reports go test where Go may show the result of an earlier run.
func (c *commandLint) cached() {
	argv := unwrapped(c.run)
	if len(argv) < 2 || path.Base(argv[0]) != "go" || argv[1] != "test" || slices.ContainsFunc(argv, goAlwaysRuns().MatchString) {
		return
	}
	c.add(check.Finding{
		Code: "lint.cached", Message: "go test may print the result of an earlier run", Expected: "-count=1", Actual: "none",
		Fix: `write "go", "test", "-count=1"`,
	})
}

var goAlwaysRuns = input.Lazily(`^--?(?:count|bench|benchtime|cpuprofile|memprofile|blockprofile|mutexprofile|trace|fuzz|exec|c|args)(?:=|$)`)

// controls reports criteria that no negative control proves.
func (l *linter) controls(s *source) {
	proven := map[string]bool{}
	for _, c := range s.contract.Criteria {
		proven[c.Proves.Value] = true
	}
	for _, c := range s.contract.Criteria {
		if c.ExpectFail || proven[c.ID] {
			continue
		}
		l.report(&check.Finding{
			Code: "lint.no_control", Message: fmt.Sprintf("nothing shows that the criterion %q (%s) can fail", c.ID, proof.CommandLine(c.Run)), Path: s.path, Pos: c.Pos,
			Expected: `a criterion with "expect": "fail" and "proves": ` + input.Quote(c.ID), Actual: "none",
			Fix: `add a negative control: docs/recipes.md#prove-that-a-test-can-fail shows how`, Identity: slices.Concat([]string{c.Cwd}, c.Run),
		})
	}
}
