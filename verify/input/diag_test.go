package input

import (
	"fmt"
	"testing"
)

func TestErrorsAreSortedAndCut(t *testing.T) {
	var errs Errors
	if errs.Any() || errs.Full() || len(errs.All()) != 0 {
		t.Error("the zero value is not empty")
	}
	for line := MaxErrors; line > -5; line-- {
		errs.Add(Error{Pos: Pos{Line: line, Column: 1}, Message: fmt.Sprint(line)})
	}
	errs.Add(Error{Message: "a limit", Limit: "--max-files"})
	all := errs.All()
	if len(all) != MaxErrors+2 || !errs.Full() {
		t.Fatalf("%d errors are listed", len(all))
	}
	if last := all[len(all)-1]; last.Times != 5 || last.Message != "5 more errors are not listed" {
		t.Errorf("the list ends with %+v", last)
	}
	if all[0].Limit == "" || all[1].Pos.Line != 1 {
		t.Errorf("the list begins with %+v, %+v", all[0], all[1])
	}
}

func TestPos(t *testing.T) {
	a, b := Pos{Line: 1, Column: 9}, Pos{Line: 2, Column: 1}
	if a.Compare(b) >= 0 || b.Compare(a) <= 0 || a.Compare(a) != 0 || !(Pos{}).IsZero() || a.IsZero() {
		t.Error("positions are not ordered as in the file")
	}
}
