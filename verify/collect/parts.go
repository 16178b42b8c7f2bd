package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// pullsFolder holds a folder for each pull request of a merge group, called by its number.
const pullsFolder = "pulls"

var numberSyntax = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,14}$`) })

// findParts adds the pull requests of a merge group that a bundle holds.
func (f *Found) findParts(root *os.Root, dir string) error {
	f.Folders = append(f.Folders, filepath.Join(dir, pullsFolder))
	entries, err := fs.ReadDir(root.FS(), pullsFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %q of the bundle cannot be listed: %w", pullsFolder, Reason(err))
	}
	for _, entry := range entries {
		if !numberSyntax().MatchString(entry.Name()) {
			continue
		}
		number, err := strconv.ParseInt(entry.Name(), 10, 64)
		if err == nil {
			err = f.findPart(root, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Found) findPart(root *os.Root, number int64) error {
	part, folder := verify.Part{PullRequest: number}, verify.PartFolder(number)
	add := func(kind check.Kind, name string) {
		if open := existing(root, folder+name); open != nil {
			part.Inputs = append(part.Inputs, verify.Input{Kind: kind, Name: name, Open: open})
		}
	}
	add(check.Facts, "facts.json")
	add(check.Changes, "changes.json")
	names, err := listed(root, folder+contractsFolder, policy.ContractExtensions)
	if err != nil {
		return fmt.Errorf("the folder %q of the bundle cannot be listed: %w", folder+contractsFolder, Reason(err))
	}
	for _, name := range names {
		add(check.TaskContract, strings.TrimPrefix(name, folder))
	}
	f.Parts = append(f.Parts, part)
	return nil
}

// AddPull gathers one of the pull requests of a merge group that [Gather] found: the changes between the merge base of the
// group's base with c.Head and c.Head, the task contract, and the facts, to which belongs whether the group holds what the
// pull request holds now. The standing contract is the group's. Of c, Base and Contract are not looked at. The error is
// one of usage.
func (f *Found) AddPull(number int64, c Commits) error {
	group := f.gatherer
	c.Base, c.Limit = group.Base, group.Limit
	g := &gatherer{Commits: c}
	g.Facts.Schema, g.Facts.Contracts = facts.Schema, []facts.ContractOrigin{}
	g.Facts.Subject.BaseSHA, g.Facts.Subject.HeadSHA, g.Facts.Settings.Task = c.Base, c.Head, group.Facts.Settings.Task
	g.changes = g.compare()
	g.contracts = slices.Clone(group.contracts)
	g.task()
	if g.err != nil {
		return g.err
	}
	g.read()
	g.arguments()
	g.membership(group.Head)
	if g.Complete != nil {
		g.Complete(&g.Facts, Known{Standing: g.standingContract(), Policy: g.policy, Changes: g.changes})
	}
	g.Facts.Settings = facts.Settings{} // the group's hold
	part, err := g.part(number, len(group.contracts))
	f.Parts = append(f.Parts, part)
	return err
}

// membership looks whether the group's history holds the head, and if not, where the two differ in what the pull request
// touches. A queue that squashes or rebases writes other commits with the same content.
func (g *gatherer) membership(groupHead string) {
	bases, err := g.Objects.MergeBases(groupHead, g.Head)
	m := facts.Membership{HeadInGroup: err == nil && slices.Equal(bases, []string{g.Head})}
	if err == nil && !m.HeadInGroup && g.changes != nil {
		m.Differs, err = g.differs(groupHead)
	}
	if err != nil {
		g.cannot(facts.WantedSubject, "membership", err)
		return
	}
	g.Facts.Membership = &m
}

// differs lists the touched paths at which two heads differ.
func (g *gatherer) differs(other string) ([]string, error) {
	between, err := g.Objects.Changes(g.Head, other)
	if err != nil {
		return nil, err
	}
	differ, list := map[string]bool{}, []string{}
	for _, c := range between {
		differ[c.Path] = true
	}
	for _, c := range g.changes {
		switch {
		case !differ[c.Path]:
		case utf8.ValidString(c.Path):
			list = append(list, c.Path)
		default:
			list = append(list, diag.QuotePath(c.Path))
		}
	}
	return list, nil
}

// part makes the inputs of what was gathered, without the first contracts, which are the group's.
func (g *gatherer) part(number int64, standing int) (verify.Part, error) {
	part := verify.Part{PullRequest: number}
	for _, c := range g.contracts[standing:] {
		g.Facts.Contracts = append(g.Facts.Contracts, c.origin)
		part.Inputs = append(part.Inputs, verify.Input{Kind: c.kind, Name: c.origin.File, Open: c.open})
	}
	inputs, err := g.written()
	part.Inputs = append(part.Inputs, inputs...)
	return part, err
}

// copyParts writes the pull requests of a merge group.
func (w *bundleWriter) copyParts(parts []verify.Part) {
	for _, part := range parts {
		for _, in := range part.Inputs {
			w.copy(in, path.Join(verify.PartFolder(part.PullRequest), in.Name))
		}
	}
}
