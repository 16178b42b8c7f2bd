package collect

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
)

func TestAccountOf(t *testing.T) {
	for mail, want := range map[string]facts.Account{
		"49699333+dependabot[bot]@users.noreply.github.com": {Login: "dependabot[bot]", ID: "49699333"},
		"mona@users.noreply.github.com":                     {Login: "mona"},
		"mona@example.com":                                  {},
		"mona@users.noreply.github.com.example.com":         {},
		"": {},
	} {
		if got := accountOf(mail); got != want {
			t.Errorf("%q is %+v, want %+v", mail, got, want)
		}
	}
}

// TestIsBot: a person's name that merely ends in these letters is not a program.
func TestIsBot(t *testing.T) {
	for name, want := range map[string]bool{
		"dependabot[bot]": true, "Renovate Bot": true, "renovate-bot": true, "Weblate (bot)": true, "github-actions": true, "Bot": true,
		"hubot": false, "Talbot": false, "Mona Abbot": false, "mona": false, "": false, "bot hunter": false, "Robot Smith": false,
	} {
		if got := isBot(name); got != want {
			t.Errorf("%q is a bot: %v, want %v", name, got, want)
		}
	}
}
