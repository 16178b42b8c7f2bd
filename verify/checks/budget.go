package checks

import (
	"fmt"
	"math"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// BudgetCheck checks the time and the network of the task.
var BudgetCheck = &check.Check{
	ID:    "budget",
	Title: "The task stayed within its time budget and its network hosts",
	Codes: check.CodesWith(input.Block, "time.over_budget", "network.unallowed_host", "network.unobserved"),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	Needs: []check.Kind{check.Contract, check.Feedback},
	Asked: func(in *check.Inputs) bool {
		return in.Policy != nil && (in.Policy.TimeBudgetMinutes != nil || in.Policy.NetworkEgress != nil)
	},
	Run: runBudget,
}

func runBudget(p *check.Pass) {
	if p.Policy.TimeBudgetMinutes != nil {
		reportTime(p, *p.Policy.TimeBudgetMinutes)
	}
	if p.Policy.NetworkEgress != nil {
		reportNetwork(p)
	}
}

const msPerMinute = 60_000

func reportTime(p *check.Pass, minutes int64) {
	var spent int64
	for _, s := range p.Streams() {
		spent += min(s.Duration, math.MaxInt64-spent)
	}
	if minutes > math.MaxInt64/msPerMinute || spent <= minutes*msPerMinute {
		return
	}
	p.Report(check.Finding{
		Code: "time.over_budget", Message: "the recorded commands took longer than the task allows", Input: check.Feedback,
		Expected: fmt.Sprintf("at most %s (time_budget_minutes)", input.Plural(minutes, "minute")),
		Actual:   fmt.Sprintf("%d min %d s", spent/msPerMinute, spent%msPerMinute/1000),
		Fix:      "find out what takes so long; a person may raise time_budget_minutes in the contract",
		Identity: []string{itoa(spent / (max(minutes, 1) * msPerMinute))}, // how many times over: the time itself differs between runs
	})
}

func reportNetwork(p *check.Pass) {
	allowed := "no host at all"
	if len(p.Policy.NetworkEgress) > 0 {
		allowed = "only " + strings.Join(p.Policy.NetworkEgress, ", ")
	}
	for _, s := range p.Streams() {
		f := inLog(s.Name, 0, check.Finding{
			Code: "network.unallowed_host", Expected: allowed,
			Fix: "remove the request to this host; a person may add the host to network_egress in the contract",
		})
		for _, h := range s.Hosts.List {
			f.Message, f.Actual = fmt.Sprintf("a command reached the host %q", h.Text), h.Text
			f.Pos.Line, f.Identity, f.Times = h.Line, []string{h.Text}, h.Times
			p.Report(f)
		}
		f.Fix = "remove the requests to these hosts; a person may add them to network_egress in the contract"
		reportMore(p, f, s.Hosts.More, "commands reached %d more hosts")
		if s.Unseen > 0 {
			p.Report(inLog(s.Name, s.UnseenAt, check.Finding{
				Code: "network.unobserved", Message: "the contract limits the network, and no record says which hosts were reached",
				Expected: "network_hosts in every record", Actual: input.Plural(s.Unseen, "record") + " without it",
				Fix: "use a recorder that writes network_hosts; a person may remove network_egress from the contract",
			}))
		}
	}
}
