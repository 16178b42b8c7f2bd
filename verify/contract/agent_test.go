package contract

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// agentCases are contracts with agent and unknown_exit.
var agentCases = []contractCase{
	{name: "agent", members: `"agent": {}`},
	{name: "agent in full", members: `"agent": {"deny_tools": ["mcp__*", "Web{Fetch,Search}"], "stop_blocks": 0, "stall_after": 2, "max_attempts": 1, "x-why": "cost"}`},
	{name: "no denied tools", members: `"agent": {"deny_tools": []}`},
	{name: "agent null", members: `"agent": null`, want: "1:11: /agent: agent must be an object"},
	{name: "agent as list", members: `"agent": ["Bash"]`, want: "1:11: /agent: agent must be an object"},
	{name: "misspelled", members: `"agent": {"denied_tools": []}`, want: `1:12: /agent/denied_tools: the key "denied_tools" is unknown`},
	{name: "denied tool as text", members: `"agent": {"deny_tools": "Bash"}`, want: "1:26: /agent/deny_tools: deny_tools must be a list"},
	{name: "denied tool that is no glob", members: `"agent": {"deny_tools": ["!Bash"]}`, want: "1:27: /agent/deny_tools: a pattern cannot exclude", unsaid: true},
	{name: "denied tool as number", members: `"agent": {"deny_tools": [1]}`,
		want: `1:27: /agent/deny_tools/0: an item of "deny_tools" must be a string that is not blank`},
	{name: "stop_blocks above", members: `"agent": {"stop_blocks": 21}`,
		want: "1:27: /agent/stop_blocks: stop_blocks must be an integer from 0 to 20, written without fraction or exponent"},
	{name: "stall_after below", members: `"agent": {"stall_after": 1}`,
		want: "1:27: /agent/stall_after: stall_after must be an integer from 2 to 20, written without fraction or exponent"},
	{name: "max_attempts of the agent above", members: `"agent": {"max_attempts": 101}`,
		want: "1:28: /agent/max_attempts: max_attempts must be an integer from 1 to 100, written without fraction or exponent"},

	{name: "unknown_exit", members: criterion(`"unknown_exit": [75]`)},
	{name: "eight codes", members: criterion(`"unknown_exit": [2, 125, 4, 5, 6, 7, 8, 9]`)},
	{name: "nine codes", members: criterion(`"unknown_exit": [2, 3, 4, 5, 6, 7, 8, 9, 10]`),
		want: `1:66: /acceptance_criteria/0/unknown_exit: "unknown_exit" has too many exit codes`},
	{name: "no code", members: criterion(`"unknown_exit": []`), want: `1:66: /acceptance_criteria/0/unknown_exit: "unknown_exit" is an empty list`},
	{name: "unknown_exit null", members: criterion(`"unknown_exit": null`), want: "1:66: /acceptance_criteria/0/unknown_exit: unknown_exit must be a list"},
	{name: "one code", members: criterion(`"unknown_exit": 75`), want: "1:66: /acceptance_criteria/0/unknown_exit: unknown_exit must be a list"},
	{name: "a code twice", members: criterion(`"unknown_exit": [75, 7, 75]`),
		want: `1:74: /acceptance_criteria/0/unknown_exit: the exit code 75 is in "unknown_exit" twice`},
	{name: "codes that mean something else", members: criterion(`"unknown_exit": [0, 1, 126, -1, "75"]`),
		want: strings.Join([]string{unknownCode("67"), unknownCode("70"), unknownCode("73"), unknownCode("78"), unknownCode("82")}, "\n")},
	{name: "a code with a fraction", members: criterion(`"unknown_exit": [75.0]`), want: unknownCode("67"), unsaid: true},
}

func unknownCode(column string) string {
	return "1:" + column + ": /acceptance_criteria/0/unknown_exit: unknown_exit must be an integer from 2 to 125, written without fraction or exponent"
}

// A contract of the change decides neither what an agent may do nor what counts as unknown.
func TestCheckHeadOnlyAgent(t *testing.T) {
	for members, want := range map[string]string{
		`"agent": {}`:                       `1:2: /agent: the change adds this contract, so it may not contain "agent"`,
		criterion(`"unknown_exit": [75]`):   `1:66: /acceptance_criteria: the change adds this contract, so none of its criteria may contain "unknown_exit"`,
		criterion(`"x-unknown_exit": [75]`): "",
	} {
		c, problems := Parse("c.json", []byte(contractCase{members: members}.text()), input.DefaultLimits())
		if problems.Any() {
			t.Fatal(list(problems))
		}
		var errs input.Errors
		c.CheckHeadOnly(&errs)
		if got := list(&errs); got != want {
			t.Errorf("%s: got %s, want %s", members, got, want)
		}
	}
}
