package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify/report"
)

// archived stands for archive find and the workflow of the archive in scripts and pages: it adds the newest commit of the branch main to the
// archive of the repository. Its arguments are a bundle, or a reason why there is none.
func archived() {
	if err := addNewest(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "archived:", err)
		os.Exit(1)
	}
}

func addNewest(bundle string) error {
	git := func(args ...string) string {
		out, err := exec.Command("git", args...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	found := archive.Found{Schema: archive.FoundSchema, Origin: "closeout-archive/github.com/acme/shop", Branch: "main"}
	newest := strings.Fields(git("log", "-1", "--format=%ct %H %P", "main"))
	if len(newest) < 2 {
		return errors.New("main has no commit")
	}
	e := archive.Entry{Schema: archive.EntrySchema, Kind: archive.Gap, Branch: "main", Commits: newest[1:2], Replay: archive.ReplayNotTried, Why: &bundle}
	if len(newest) > 2 {
		e.Parent = &newest[2]
	}
	found.Date, _ = strconv.ParseInt(newest[0], 10, 64)
	dir, err := os.MkdirTemp("", "archived")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	add := []string{"archive", "add", "--found", dir}
	if text := git("show", "closeout-archive:state.json"); text != "" {
		state, errs := archive.ReadState([]byte(text))
		if errs.Any() {
			return errors.New(text)
		}
		last := state.Last["main"]
		found.After, found.Size = &last, state.Size
		name := filepath.Join(dir, "state.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
		add = append(add, "--state", name)
	}
	if data, err := os.ReadFile(filepath.Join(bundle, report.FileName)); err == nil {
		if err := decisionOf(&e, bundle, dir, data); err != nil {
			return err
		}
	}
	found.Entries = []archive.Entry{e}
	index, err := found.Marshal()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, archive.IndexFile), index, 0o600); err != nil {
		return err
	}
	c := exec.Command("closeout", add...)
	c.Stderr = os.Stderr
	stream, err := c.Output()
	if err != nil {
		return err
	}
	c = exec.Command("git", "fast-import", "--quiet", "--done")
	c.Stdin, c.Stderr = strings.NewReader(string(stream)), os.Stderr
	return c.Run()
}

// decisionOf makes the entry one about a bundle with its report, and copies the bundle to where archive add looks for it.
func decisionOf(e *archive.Entry, bundle, dir string, data []byte) error {
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	e.Kind, e.Replay, e.Why, e.Verdict, e.HeadSHA, e.Tool = archive.Decision, archive.ReplaySame, nil, &r.Verdict, r.Subject.HeadSHA, &r.Tool
	if r.Subject.PullRequest != nil {
		e.PullRequests = []string{strconv.FormatInt(*r.Subject.PullRequest, 10)}
	}
	to := filepath.Join(dir, "0", archive.BundleDir)
	return cmp.Or(os.CopyFS(to, os.DirFS(bundle)), fs.WalkDir(os.DirFS(bundle), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(filepath.Join(bundle, name))
		if err != nil {
			return err
		}
		defer f.Close()
		of, err := archive.FileOf(name, f)
		if e.Bundle = append(e.Bundle, of); name == report.FileName {
			e.ReportSHA256 = &of.SHA256
		}
		return err
	}))
}
