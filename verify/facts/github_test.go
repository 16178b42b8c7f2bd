package facts

import (
	"testing"
)

func TestAccountIs(t *testing.T) {
	for _, c := range []struct {
		a, b Account
		want bool
	}{
		{Account{"mona", "7"}, Account{"mona", "7"}, true},
		{Account{"mona", "7"}, Account{"Lisa", "7"}, true},
		{Account{"mona", "7"}, Account{"mona", "8"}, false},
		{Account{"mona", "7"}, Account{"MONA", ""}, true},
		{Account{"", "7"}, Account{"mona", "7"}, true},
		{Account{"", "7"}, Account{"mona", ""}, false},
		{Account{"mona", ""}, Account{"lisa", ""}, false},
		{Account{}, Account{}, false},
		{Account{"", "7"}, Account{}, false},
		{Account{"ghost", "10137"}, Account{"ghost", "10137"}, false},
		{Account{"Ghost", "2"}, Account{"ghost", "2"}, false},
		{Account{"", "10137"}, Account{"", "10137"}, false},
		{Account{"mona", "10137"}, Account{"lisa", "10137"}, true}, // another server's
	} {
		if c.a.Is(c.b) != c.want || c.b.Is(c.a) != c.want {
			t.Errorf("%v and %v: want %v", c.a, c.b, c.want)
		}
	}
}
