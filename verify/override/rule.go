package override

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
)

// Rule is who may override according to all contracts.
type Rule struct {
	contract.OverrideRule
	agents *Authors // accounts that applies_to lists; nil when there are none
}

// NewRule joins the override keys of contracts by least privilege, the standing contract first: the higher permission, the
// users and teams that all of them list, the codes that any of them lists under never, the larger number of people. The label is
// that of the standing contract. A later contract without the key changes nothing. Without contracts, the default applies.
func NewRule(contracts ...*contract.Contract) *Rule {
	if len(contracts) == 0 {
		return &Rule{OverrideRule: contract.DefaultOverride()}
	}
	rule := &Rule{OverrideRule: contracts[0].Override, agents: agents(contracts[0].AppliesTo)}
	for _, c := range contracts[1:] {
		if _, there := c.Keys["override"]; !there {
			continue
		}
		other := &c.Override
		if rank(other.Permission) < rank(rule.Permission) {
			rule.Permission = other.Permission
		}
		if other.Binding == bindingCode {
			rule.Binding = bindingCode
		}
		rule.AllowAuthor, rule.Self = rule.AllowAuthor && other.AllowAuthor, rule.Self || other.Self
		rule.Users, rule.Teams = common(rule.Users, other.Users), common(rule.Teams, other.Teams)
		rule.Never = slices.Concat(rule.Never, other.Never)
		rule.People = max(rule.People, other.People)
	}
	if rule.People > 1 { // each of them is another person than the author, and writes the code
		rule.AllowAuthor, rule.Binding = false, bindingCode
	}
	return rule
}

// The bindings of a contract.
const (
	bindingCode  = "code"
	bindingEvent = "event"
)

// common are the logins or slugs that both lists contain.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !containsLogin(b, s) })
}

// containsLogin reports whether a list contains a login or slug, ignoring case.
func containsLogin(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return facts.FoldLogin(s) == facts.FoldLogin(name) })
}

// agents are the accounts whose pull requests the contract applies to. A pattern that matches everyone is left out.
func agents(authors []contract.Author) *Authors {
	var list []contract.Author
	for _, a := range authors {
		if a.ID != "" || !glob.Compile([]glob.Pattern{a.Glob}).Match(improbable) {
			list = append(list, a)
		}
	}
	if list == nil {
		return nil
	}
	return NewAuthors(list)
}

// improbable is a login that only a pattern for everyone matches.
const improbable = "zq0-no-such-login-7x"

// rank is the position of a permission, 0 for the most powerful; an unknown permission is last.
func rank(permission string) int {
	if i := slices.Index(facts.Permissions, permission); i >= 0 {
		return i
	}
	return len(facts.Permissions)
}

// Asks reports whether a label asks for an override: it is the label of the rule, or continues with a colon and a reason.
// GitHub ignores the case of labels.
func (r *Rule) Asks(label string) bool {
	_, found := r.after(label)
	return found
}

// after returns the text after the colon of a label that asks for an override; "" when there is none.
func (r *Rule) after(label string) (reason string, asks bool) {
	n := len(r.Label)
	if len(label) < n || !strings.EqualFold(label[:n], r.Label) || (len(label) > n && label[n] != ':') {
		return "", false
	}
	return strings.TrimSpace(strings.TrimPrefix(label[n:], ":")), true
}

// withTriage is what users and teams need in addition: a contract still lists people who left.
const (
	withTriage = " with at least triage permission"
	triage     = "triage"
)

// Who describes who may override.
func (r *Rule) Who() string {
	words := []string{"a person with at least " + r.Permission + " permission"}
	if len(r.Users) > 0 {
		words = append(words, strings.Join(r.Users, ", ")+withTriage)
	}
	if len(r.Teams) > 0 {
		words = append(words, "a member of "+strings.Join(r.Teams, ", ")+withTriage)
	}
	return strings.Join(words, ", or ")
}
