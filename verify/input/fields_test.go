package input

import (
	"testing"
)

// TestObject requires an error for each value that is not an object: without one its members would count as absent.
func TestObject(t *testing.T) {
	for text, ok := range map[string]bool{`{}`: true, `[]`: false, `"{}"`: false, `1`: false, `null`: false} {
		errs := &Errors{}
		root := ParseJSON([]byte(text), DefaultLimits(), errs)
		if f := Object(root, "/a", errs); (f != nil) != ok || errs.Any() == ok {
			t.Errorf("%s: got %v, %v", text, f, errs.All())
		}
	}
}
