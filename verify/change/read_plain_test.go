package change

import (
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

const plainModified = `{"path":"src/ü.go","status":"modified","old_mode":"100644","new_mode":"100755","old_id":"` +
	"0123456789012345678901234567890123456789" + `","new_id":"` + "abcdefabcdefabcdefabcdefabcdefabcdefabcd" + `"}`

var plainElements = []string{
	plainModified,
	`{"path":"a","status":"added","old_mode":"000000","new_mode":"120000","old_id":null,"new_id":"` + idA + `"}`,
	`{"path":"a","status":"deleted","old_mode":"160000","new_mode":"000000","old_id":"` + idA + idA[:24] + `","new_id":null}`,
}

// The short way takes what the collector writes, and nothing that is written in any other way.
func TestPlainChange(t *testing.T) {
	for _, text := range plainElements {
		if _, ok := plainChange(text); !ok {
			t.Errorf("not read: %s", text)
		}
	}
	for name, edit := range map[string][2]string{
		"a blank":         {`"status":`, `"status": `},
		"an escape":       {`src/`, `src\/`},
		"another order":   {`"path":"src/ü.go","status":"modified"`, `"status":"modified","path":"src/ü.go"`},
		"no path":         {`src/ü.go`, ``},
		"another status":  {`modified`, `renamed`},
		"another mode":    {`100755`, `100664`},
		"a short id":      {`abcdefabcd"`, `"`},
		"an upper id":     {`abcdef`, `ABCDEF`},
		"a key more":      {`"}`, `","x-a":1}`},
		"a key twice":     {`"}`, `","path":"b"}`},
		"keys that count": {`"}`, `","keys_changed":[]}`},
		"a null path":     {`"src/ü.go"`, `null`},
		"a list":          {`{"path"`, `[{"path"`},
	} {
		if c, ok := plainChange(strings.Replace(plainModified, edit[0], edit[1], 1)); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// FuzzPlainChange wants the short way to say what the strict way says.
func FuzzPlainChange(f *testing.F) {
	for _, text := range plainElements {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := plainChange(text)
		if !ok {
			return
		}
		errs := &diag.Errors{}
		n := strict.ParseDocument([]byte(text), "the element", strict.DefaultLimits(), errs)
		if errs.Any() {
			return // no JSON: the reader never comes so far
		}
		strict := readChange(n, "/files/0", errs)
		strict.Pos = diag.Pos{}
		if errs.Any() != (disagreement(c) != "") || !errs.Any() && !reflect.DeepEqual(c, strict) {
			t.Errorf("short  %+v\nstrict %+v, %v", c, strict, errs.All())
		}
	})
}
