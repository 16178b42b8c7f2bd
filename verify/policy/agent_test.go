package policy_test

import (
	"slices"
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// The smaller number wins, and every contract denies.
func TestAgent(t *testing.T) {
	for _, c := range []struct {
		contracts []string
		want      [3]int // stop_blocks, stall_after, max_attempts
		denied    string // pattern that denies the tool mcp__Mail__send
	}{
		{[]string{""}, [3]int{3, 3, 3}, ""},
		{[]string{`"agent": {"max_attempts": 9}`}, [3]int{3, 3, 9}, ""},
		{[]string{"", `"agent": {"max_attempts": 9}`}, [3]int{3, 3, 9}, ""},
		{[]string{`"agent": {"max_attempts": 9, "stop_blocks": 0}`, `"agent": {"max_attempts": 4, "stop_blocks": 20}`}, [3]int{0, 3, 4}, ""},
		{[]string{`"agent": {"max_attempts": 4, "stall_after": 2}`, `"agent": {"max_attempts": 9}`}, [3]int{3, 2, 4}, ""},
		{[]string{`"agent": {"deny_tools": ["mcp__mail__*"]}`, `"agent": {"deny_tools": ["Bash"]}`}, [3]int{3, 3, 3}, "mcp__mail__*"},
		{[]string{`"agent": {"deny_tools": ["Bash"]}`, `"agent": {"deny_tools": ["mcp__mail__*"]}`}, [3]int{3, 3, 3}, "mcp__mail__*"},
		{[]string{`"agent": {"deny_tools": ["mcp__mail__*"]}`, `"agent": {"deny_tools": []}`}, [3]int{3, 3, 3}, "mcp__mail__*"},
	} {
		p, problems := join(t, facts.TrustBase, c.contracts...)
		if problems != nil {
			t.Fatal(problems)
		}
		a := &p.Agent
		if got := [3]int{a.StopBlocks, a.StallAfter, a.MaxAttempts}; got != c.want || a.Denies("mcp__Mail__send") != c.denied || a.Denies("Edit") != "" {
			t.Errorf("%q: got %v, %q", c.contracts, got, a.Denies("mcp__Mail__send"))
		}
	}
}

// Every contract that names the command must list the code; of a negative control it is enough that one does.
func TestJoinUnknownExit(t *testing.T) {
	criteria := func(members string) string {
		return `"acceptance_criteria": [{"id": "t", "run": ["make"]` + members + `}]`
	}
	for _, c := range []struct {
		standing, task string
		trust          facts.Trust
		want           []int64
	}{
		{`, "unknown_exit": [75, 7, 8]`, `, "unknown_exit": [8, 9, 75]`, facts.TrustBase, []int64{75, 8}},
		{`, "unknown_exit": [75]`, "", facts.TrustBase, nil},
		{"", `, "unknown_exit": [75]`, facts.TrustBase, nil},
		{`, "unknown_exit": [75]`, "", facts.TrustHead, nil},
		{"", `, "unknown_exit": [75]`, facts.TrustHead, nil},
		{`, "unknown_exit": [75]`, `, "unknown_exit": [75]`, facts.TrustOperator, []int64{75}},
	} {
		standing := parse(t, criteria(c.standing))
		p, problems := policy.Join([]policy.Source{
			{Contract: standing, Kind: "contract", Trust: facts.TrustBase}, {Contract: parse(t, criteria(c.task)), Kind: "task_contract", Trust: c.trust},
		}, "local")
		if problems != nil || !slices.Equal(p.Criteria[0].UnknownExit, c.want) {
			t.Errorf("%+v: got %v %v", c, p.Criteria[0].UnknownExit, problems)
		}
		if n := len(standing.Criteria[0].UnknownExit); n > 0 && c.standing == "" || n == 0 && c.standing != "" {
			t.Errorf("%+v: the join changed the contract", c)
		}
	}
	const control = `, "expect": "fail", "unknown_exit": `
	for _, trust := range []facts.Trust{facts.TrustHead, facts.TrustBase} {
		for _, c := range []struct {
			standing, task string
			want           []int64
		}{
			{control + "[75]", `, "expect": "fail"`, []int64{75}},
			{control + "[75]", "", []int64{75}}, // a clash, or a key that the contract of the change leaves out
			{control + "[75]", control + "[75, 2]", []int64{75, 2}},
		} {
			p, _ := join(t, trust, criteria(c.standing), criteria(c.task))
			if !slices.Equal(p.Criteria[0].UnknownExit, c.want) {
				t.Errorf("%s: %+v: got %v", trust, c, p.Criteria[0].UnknownExit)
			}
		}
	}
	p, _ := join(t, facts.TrustBase, criteria(`, "unknown_exit": [75]`), `"acceptance_criteria": ["make other"]`)
	if !slices.Equal(p.Criteria[0].UnknownExit, []int64{75}) {
		t.Error("a contract that does not name the command takes the code away")
	}
}
