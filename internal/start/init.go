package start

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/start/backtest"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// maxTracked is how many files a repository may have, with names of this length on average.
const (
	maxTracked     = 2_000_000
	maxTrackedName = 128
)

// maxIgnoreFile is how large a .gitignore may be.
const maxIgnoreFile = 1 << 20

// Init are what init is asked to do.
type Init struct {
	JSON, DryRun bool // JSON: write the contract as JSON, which has no comments
	Solo         bool // see [Options]
	Test         string
	root         string
	git          *collect.Git
	wrote        []string // what is to be committed, relative to the root
	ignored      bool     // git ignores some of it
	tracked      bool     // HEAD contains a report, as git add -A does after a call before init
	Tell         func(format string, args ...any)
}

func (f *Init) Run() error {
	o := Options{YAML: !f.JSON, Solo: f.Solo}
	if f.Test != "" {
		argv, problem := contract.SplitCommand(f.Test)
		if problem != nil {
			return fmt.Errorf("--test %s: %s, found %s; %s", input.Quote(f.Test), problem.Message, problem.Found, problem.Fix)
		}
		o.Test = argv
	}
	repository, err := openToInit()
	if err != nil {
		return err
	}
	defer repository.Close() // it was only read
	f.git = repository
	if f.root, err = fromHere(repository.Root()); err != nil {
		return err
	}
	head, err := repository.Resolve("HEAD")
	if err != nil {
		return noHead(repository, err, "init reads the files of the last commit")
	}
	if o.Contract, err = f.existing(); err != nil {
		return err
	}
	files, err := repository.Tracked(head)
	if err != nil {
		return err
	}
	plan, err := New(files, repository, o)
	if errors.Is(err, ErrNoTests) {
		f.notes(plan)
		return fmt.Errorf("%w in the files of HEAD: expected tests with a go.mod, package.json, pyproject.toml, Cargo.toml or a similar file, or a target test in a Makefile; name the command: closeout init --test 'COMMAND'", err)
	}
	if err != nil {
		return err
	}
	f.tracked = slices.ContainsFunc(files, func(c change.Change) bool { return c.Path == report.FileName })
	return f.write(plan)
}

// openToInit opens the enclosing repository, whose files may be many.
func openToInit() (*collect.Git, error) {
	limits := input.DefaultLimits()
	limits.Files, limits.PathBytes = maxTracked, maxTracked*maxTrackedName
	repository, err := collect.OpenGit(".", limits)
	if none := (*git.NotARepository)(nil); errors.As(err, &none) {
		return nil, fmt.Errorf("%w, and commit your files; then run closeout init again", err)
	}
	return repository, err
}

// fromHere is the root of a work tree, relative to the working directory.
func fromHere(root string) (string, error) {
	if root == "" {
		return "", errors.New("this repository is bare, and init writes files into a work tree: run it in a clone")
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return "", err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", err
	}
	return filepath.Rel(here, root)
}

// existing is the standing contract of the work tree; "" when there is none.
func (f *Init) existing() (string, error) {
	for _, extension := range policy.ContractExtensions {
		name := policy.StandingContract + extension
		if found, err := collect.Exists(f.path(name)); found || err != nil {
			return name, err
		}
	}
	return "", nil
}

func (f *Init) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// notes say what was found and left out.
func (f *Init) notes(plan *Plan) {
	for _, note := range plan.Notes {
		f.Tell("note: %s", present.Neutral(note))
	}
}

// write writes the files of a plan, or prints them. What cannot be written is refused before the first file is.
func (f *Init) write(plan *Plan) error {
	ignore, missing, err := f.ignoreFile(plan)
	if err != nil {
		return err
	}
	kept := make([]bool, len(plan.Files))
	for i, file := range plan.Files {
		if kept[i], err = collect.Exists(f.path(file.Path)); err != nil {
			return err
		}
	}
	if len(plan.Files) == 0 || plan.Files[0].Path != plan.Contract {
		f.Tell("kept   %s (it exists)", plan.Contract)
	}
	for i, file := range plan.Files {
		if err := f.create(file, kept[i]); err != nil {
			return err
		}
	}
	if err := f.writeIgnore(ignore, missing); err != nil {
		return err
	}
	f.notes(plan)
	f.preview(plan)
	f.next(plan)
	return nil
}

// preview says how the contract would have judged the last merges. It is only a preview: an error of it is no error of init.
func (f *Init) preview(plan *Plan) {
	r, err := f.judged(plan)
	switch {
	case err != nil:
		what, _, more := strings.Cut(err.Error(), "\n")
		if more {
			what += ": closeout lint shows why"
		}
		f.Tell("\nThere is no backtest: %s", present.Neutral(what))
	case r.Counts.Merges == 0:
		f.Tell("\nThere is no backtest: %s contains no merges.", present.Neutral(r.Branch))
	default:
		f.Tell("\nBacktest: the last %s of %s under this contract. closeout backtest says how to let more through.",
			input.Plural(r.Counts.Merges, "merge"), present.Neutral(r.Branch))
		for _, shares := range r.Shares() {
			f.Tell("  %s", shares)
		}
	}
}

func (f *Init) judged(plan *Plan) (*backtest.Result, error) {
	file := &lint.Document{Path: plan.Contract}
	if len(plan.Files) > 0 && plan.Files[0].Path == plan.Contract {
		file.Text = plan.Files[0].Data
	} else {
		text, err := collect.ReadRegular(f.path(plan.Contract), input.DefaultLimits().ContractBytes)
		if err != nil {
			return nil, err
		}
		file.Text = text
	}
	return (&Backtest{Last: backtestLast}).judge(f.git, file)
}

// backtestLast is how many merges are judged again.
const backtestLast = 200

// create writes a file unless there is one.
func (f *Init) create(file File, kept bool) error {
	switch {
	case kept:
		f.Tell("kept   %s (it exists)", file.Path)
		return nil
	case f.DryRun:
		f.Tell("would write %s:\n%s", file.Path, file.Data)
		return nil
	}
	if err := collect.Create(f.path(file.Path), file.Data); err != nil {
		return err
	}
	f.Tell("wrote  %s", file.Path)
	f.wrote = append(f.wrote, file.Path)
	return nil
}

// writeIgnore adds the missing lines to .gitignore.
func (f *Init) writeIgnore(text string, missing []string) error {
	switch {
	case missing == nil:
		f.Tell("kept   .gitignore (it contains what is needed)")
		return nil
	case f.DryRun:
		f.Tell("would add to .gitignore:\n%s", strings.Join(missing, "\n"))
		return nil
	}
	if err := collect.WriteOther("file", f.path(".gitignore"), []byte(text)); err != nil {
		return err
	}
	f.Tell("added  to .gitignore: %s", strings.Join(missing, " "))
	f.wrote = append(f.wrote, ".gitignore")
	return nil
}

// ignoreFile is the text of .gitignore with the lines that it lacks.
func (f *Init) ignoreFile(plan *Plan) (text string, missing []string, err error) {
	data, err := collect.ReadRegular(f.path(".gitignore"), maxIgnoreFile)
	if err != nil {
		return "", nil, fmt.Errorf("%w; init adds lines to it: replace it by a regular file", err)
	}
	text, missing = WithIgnored(string(data), plan.Ignore)
	if Ignored(text, plan.Contract) {
		f.ignored = true
		plan.Notes = append(plan.Notes, ".gitignore ignores "+plan.Contract+": add it with git add --force")
	}
	return text, missing, nil
}

const wantRed = "  4. Try one change that must be red, scope.off_scope with exit code 1:\n       "

// tryRed is a change that every contract of init must block, because no file is tracked there.
const tryRed = "git switch -c try-red && mkdir off-scope && echo red > off-scope/try && git add off-scope && git commit -m 'Must be red' && closeout run"

// next prints the next steps.
func (f *Init) next(plan *Plan) {
	if f.DryRun {
		f.Tell("\nNothing was written: run closeout init without --dry-run.")
		return
	}
	if len(f.wrote) == 0 && !f.tracked {
		f.Tell("\nNothing was missing. Next: commit a change on a branch, then:  closeout run")
		return
	}
	from := ""
	if f.root != "." {
		from = ", in the root of the repository (cd " + input.ShellWord(filepath.ToSlash(f.root)) + ")"
	}
	f.Tell("\nNext%s:", from)
	f.Tell("  1. Look at what was written:  git status; cat %s", plan.Contract)
	f.Tell("  2. Try its commands:          closeout run")
	lacking := slices.DeleteFunc(slices.Clone(plan.Programs), func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil || strings.Contains(program, "/") // one of the repository
	})
	if len(lacking) > 0 {
		f.Tell("     they fail until this is in PATH:  %s", present.Neutral(strings.Join(lacking, ", ")))
	}
	if len(plan.Setup) > 0 {
		f.Tell("     where this was not done yet, install what they need first:  %s", present.Neutral(strings.Join(plan.Setup, " && ")))
	}
	add := "git add " + strings.Join(f.wrote, " ") + " && git commit -m 'Add the close-out gate'"
	if f.ignored {
		add = strings.Replace(add, "add", "add --force", 1)
	}
	if f.tracked {
		f.Tell("     Let git no longer track %s first, which stays on disk: it would make every record differ from the commit", report.FileName)
	}
	if remote, err := f.git.FirstRef(run.Bases[:run.RemoteBases]...); remote == "" && err == nil {
		f.Tell("  3. Commit it on the branch that other branches start from:\n       %s", add)
		f.Tell("%s%s", wantRed, tryRed)
		return
	}
	f.Tell("  3. Commit, and open the pull request:\n       git switch -c closeout && %s && git push -u origin closeout", add)
	f.Tell("%s%s --base closeout", wantRed, tryRed) // the contract counts there before it is merged
}
