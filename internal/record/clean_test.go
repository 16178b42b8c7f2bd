//go:build unix

package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// TestClean removes logs and reports of the last run, and neither another log nor what is behind a link.
func TestClean(t *testing.T) {
	r := newRepo(t)
	other := []string{"/a/" + FileName, "/rules/a/" + FileName, "/task/T-1.json/a/" + FileName, "/task/" + FileName}
	stays := []string{"/a/junit.xml", "/notes.txt", "/rules/" + FileName + ".old", "/task/dir/" + FileName + "/x", "/cross/base/" + FileName}
	goes := []string{"/" + FileName, "/rules/" + FileName, "/task/T-1.json/" + FileName, "/junit.xml"}
	for _, name := range slices.Concat(other, stays, goes) {
		r.write(evidenceDir+name, "x")
	}
	r.write("outside/"+FileName, "x")
	r.write("outside/junit.xml", "x")
	link := func(to, at string) { r.do(os.Symlink(to, filepath.Join(r.dir, evidenceDir, at))) }
	r.do(os.Mkdir(filepath.Join(r.dir, evidenceDir, "task/linked"), 0o755))
	link("../../outside", "link")
	link("../../../../outside/junit.xml", "task/linked/"+FileName)
	others, err := Clean(r.dir, evidenceDir, []string{evidenceDir + "/junit.xml", "outside/junit.xml", evidenceDir + "/none.xml"})
	for i := range other {
		other[i] = evidenceDir + other[i]
	}
	if err != nil || !slices.Equal(others, other) {
		t.Errorf("other logs are %q, %v, want %q", others, err, other)
	}
	files := r.files() + "\n"
	for _, name := range append(goes, "/task/linked/"+FileName) {
		if strings.Contains(files, evidenceDir+name+"\n") {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range slices.Concat(other, stays, []string{"outside/" + FileName, "outside/junit.xml"}) {
		if !strings.Contains(files, name+"\n") {
			t.Errorf("%s is gone", name)
		}
	}
	if others, err := Clean(r.dir, "none/at/all", nil); err != nil || others != nil {
		t.Errorf("without a directory: %q, %v", others, err)
	}
	if _, err := Clean(r.dir, evidenceDir+"/link", nil); err == nil || !strings.Contains(err.Error(), "is a link or a file") {
		t.Errorf("through a link: %v", err)
	}
}

// TestPlanOfPolicy plans what the judge asks for: what the change wrote has a log and a task of its own.
func TestPlanOfPolicy(t *testing.T) {
	text := func(id string) contract.Contract {
		c := contract.Contract{}
		c.TaskID.Value = id
		return c
	}
	criterion := func(id, run, report string) contract.Criterion {
		return contract.Criterion{ID: id, IDGiven: true, Run: []string{run}, Cwd: ".", MaxAttempts: 3, TestReport: report}
	}
	standing, base, head := text(""), text("T-1"), text("T-2")
	standing.Criteria = []contract.Criterion{criterion("a", "make", "")}
	standing.Coverage = &contract.CoverageRule{Report: "cover.json"}
	standing.Coverage.Criterion.Value = "a"
	base.Criteria = []contract.Criterion{criterion("b", "make", "e/b.xml"), criterion("c", "check", "")}
	base.Rules.Run, base.Rules.Pos.Line = []string{"lint"}, 1
	head.Criteria = []contract.Criterion{criterion("again", "check", ""), criterion("d", "more", evidenceDir+"/d.xml")}
	join := func(sources ...policy.Source) *policy.Policy {
		t.Helper()
		joined, problems := policy.Join(sources, "")
		if len(problems) > 0 {
			t.Fatalf("%+v", problems)
		}
		return joined
	}
	one := policy.Source{Contract: &standing, Kind: "contract", Path: "s.json", Trust: facts.TrustBase}
	joined := join(one, policy.Source{Contract: &base, Kind: "task_contract", Path: "t/T-1.json", Trust: facts.TrustBase},
		policy.Source{Contract: &head, Kind: "task_contract", Path: "t/T-2.json", Trust: facts.TrustHead})
	p := &Plan{}
	if unused := p.AddPolicy([]*policy.Policy{joined}, "other", "/e/log"); !unused {
		t.Error("the script is not said to be unused")
	}
	var got []string
	for _, s := range p.Streams {
		for _, step := range s.Steps {
			got = append(got, strings.Join([]string{s.Name, s.Log, step.Name, step.Command.Task, strings.Join(step.Command.Produces, " "), step.Command.Coverage}, "|"))
		}
	}
	want := []string{
		"rules|/e/rules/" + FileName + "|rules||" + evidenceDir + "/rule_report.json|",
		"criteria|/e/log|a||e/b.xml cover.json|cover.json",
		"criteria|/e/log|c|||",
		"T-2.json|/e/task/T-2.json/" + FileName + "|d|T-2|" + evidenceDir + "/d.xml|",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if reports := p.Reports(evidenceDir); !slices.Equal(reports, []string{evidenceDir + "/rule_report.json", "e/b.xml", "cover.json", evidenceDir + "/d.xml"}) {
		t.Errorf("reports: %q", reports)
	}
	p.Only([]string{"c", "rules"})
	if names := p.Names(); !slices.Equal(names, []string{"rules", "c"}) || len(p.Streams) != 2 {
		t.Errorf("only: %q", names)
	}
}
