package rules

import (
	"fmt"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
)

// TestUnreadLanguages wants each language of touched tests that no rule reads, once, and none of what is no test or is read.
func TestUnreadLanguages(t *testing.T) {
	var list []change.Change
	for i, name := range []string{
		"a_test.go", "lib/cart.php", "tests/CartTest.php", "tests/ItemTest.php", "test/user_test.exs", "tests/a.json", "vendor/b/tests/BTest.php", "tests/readme.md", "src/test_a.kt",
	} {
		list = append(list, modified(name, fmt.Sprintf("a%d:1", i), fmt.Sprintf("b%d:2", i)))
	}
	c, err := read(list, blobs{}.read, errLarge)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.judge(All).Unread); got != "[{Elixir test/user_test.exs 1} {PHP tests/CartTest.php 2}]" {
		t.Error(got)
	}
}
