//go:build unix && soak

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/report"
)

// The budget of docs/reference/limits.md: what any input within the default limits may cost on two cores.
const (
	budgetWall = 60 * time.Second
	budgetPeak = 512 << 20
)

// cost is what one run of the real command took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes resident
	code      int
	report    string // path of the report
}

// BenchmarkHostile writes inputs that are made to be expensive, at the size at which a limit is hit or just not, and runs
// the real command on each. It prints what docs/reference/limits.md states: wall time, processor time and peak memory. Run it with
//
//	go test ./cmd/closeout -run '^$' -bench Hostile -benchtime 1x
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostileInputs {
		b.Run(h.name, func(b *testing.B) {
			dir := b.TempDir()
			args := h.write(b, dir, h.full)
			runtime.GC() // the peak of the child begins with that of its parent
			for b.Loop() {
				c := runCosted(b, dir, args)
				reportCost(b, c)
			}
		})
	}
}

// TestSoakHostileInputs makes each input small, and lowers the limit that bounds it.
func TestSoakHostileInputs(t *testing.T) {
	for _, h := range hostileInputs {
		t.Run(h.name, func(t *testing.T) {
			dir := t.TempDir()
			args := h.write(t, dir, h.small)
			flag, _, _ := strings.Cut(h.limit, "=")
			if hit := limitsHit(t, runCosted(t, dir, append(args, h.limit))); !slices.Contains(hit, flag) {
				t.Errorf("%s: %v were hit", h.limit, hit)
			}
		})
	}
}

func reportCost(b *testing.B, c cost) {
	b.ReportMetric(c.wall.Seconds(), "wall-s")
	b.ReportMetric(c.cpu.Seconds(), "cpu-s")
	b.ReportMetric(float64(c.peak)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(c.code), "exit")
	b.ReportMetric(0, "ns/op")
	if c.wall > budgetWall || c.peak > budgetPeak {
		b.Logf("over the budget: %v, %d MiB", c.wall.Round(time.Millisecond), c.peak>>20)
	}
	if limits := limitsHit(b, c); len(limits) > 0 {
		b.Logf("limits: %s", strings.Join(limits, ", "))
	}
}

// runCosted runs closeout, on two cores, and measures it.
func runCosted(t testing.TB, dir string, args []string) cost {
	t.Helper()
	program, err := exec.LookPath("closeout")
	if err != nil {
		t.Fatal(err)
	}
	c := cost{report: filepath.Join(dir, report.FileName)}
	command := exec.Command(program, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOMAXPROCS=2")
	begin := time.Now()
	out, err := command.CombinedOutput()
	c.wall = time.Since(begin)
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatalf("closeout %q: %v\n%s", args, err, out)
	}
	state := command.ProcessState
	c.code, c.cpu = state.ExitCode(), state.UserTime()+state.SystemTime()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.peak = int64(usage.Maxrss) << 10
	}
	if c.code < 0 || c.code == run.ExitUsage {
		t.Fatalf("closeout %q ended with %v\n%s", args, err, out[:min(len(out), 4000)])
	}
	return c
}

// limitsHit lists the fingerprints of the limits that a report names: the flags that its findings offer to raise.
func limitsHit(t testing.TB, c cost) []string {
	t.Helper()
	if info, err := os.Stat(c.report); err != nil || info.Size() > 16<<20 {
		return []string{"unknown: the report is missing or large"}
	}
	data, err := os.ReadFile(c.report)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Findings []struct{ Code, Message, Fix string }
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, f := range r.Findings {
		if f.Code != "limit.exceeded" {
			continue
		}
		if _, flag, ok := strings.Cut(f.Fix, "raise the limit with "); ok {
			flag, _, _ = strings.Cut(flag, ",") // the first of several
			flags = append(flags, flag)
		} else {
			flags = append(flags, f.Message)
		}
	}
	slices.Sort(flags)
	return slices.Compact(flags)
}
