package item_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// filled sets every field of a struct to something that is not its zero value.
func filled(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case string, item.Name:
			f.SetString(v.Type().Field(i).Name)
		case int, int64:
			f.SetInt(int64(i) + 1)
		case bool:
			f.SetBool(true)
		case []string:
			f.Set(reflect.ValueOf([]string{"a", "b c"}))
		case *int:
			n := -i
			f.Set(reflect.ValueOf(&n))
		case *int64:
			n := int64(i)
			f.Set(reflect.ValueOf(&n))
		default:
			panic("a field of another type: add it to line.go")
		}
	}
}

// TestReadEvent wants each line that encoding/json writes to be read as it reads it, and without it: a field that line.go does
// not know would make the log slow.
func TestReadEvent(t *testing.T) {
	var full item.Event
	filled(reflect.ValueOf(&full).Elem())
	line, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	var got item.Event
	if !item.ReadFast(string(line), &got) || !reflect.DeepEqual(got, full) {
		t.Errorf("%s\nis read as %+v", line, got)
	}
	if err := item.ReadEvent(`{"n":1,"at":"","event":"scanned","reason":"a\u003cb \"c\" é"}`, &got); err != nil || got.Reason != `a<b "c" é` {
		t.Errorf("escapes: %+v, %v", got, err)
	}
	for _, bad := range []string{
		` {"n":1,"at":"","event":"scanned"}`, `{"n": 1,"at":"","event":"scanned"}`, `{"at":"","n":1,"event":"scanned"}`, `{"n":1,"at":"","event":"sc\u0061nned"}`,
		``, `{}x`, `{"n":1`, `{"n":1,}`, `{"n":01}`, `{"n":-0}`, `{"n":1.5}`, `{"n":"1"}`, `{"n":1,"n":2}`, `{"n":1,"other":2}`, `{"N":1}`, `{"n":1}{"n":2}`,
		`{"n":99999999999999999999}`, `{"open":["a",]}`, `{"open":[1]}`, `{"left_running":1}`, `[]`, `null x`, `{"at":"` + "\xff" + `"}`,
	} {
		if err := item.ReadEvent(bad, &got); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

func FuzzReadEvent(f *testing.F) {
	f.Add(`{"n":1,"at":"2026-11-23T04:49:31Z","event":"judged","item":"T-1","try":1,"open":["a","b"],"tests":-3,"exit":0,"left_running":true}`)
	f.Add(`{"n":1,"n":2}`)
	f.Add(`{"open":[],"cost_microusd":0}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0xfffd }) {
			return // they cannot be in a line, or are replaced
		}
		var got, want item.Event
		if !item.ReadFast(line, &got) {
			return
		}
		d := json.NewDecoder(bytes.NewReader([]byte(line)))
		d.DisallowUnknownFields()
		if err := d.Decode(&want); err != nil || !sameEvent(got, want) {
			t.Fatalf("%s\nis read as  %+v\nencoding/json: %+v, %v", line, got, want, err)
		}
	})
}

// TestPlan wants a plan to be read as it is written, in any layout, and one that scan cannot have written to be refused.
func TestPlan(t *testing.T) {
	p := planOf(3)
	p.Columns, p.ListPath = []string{"name", "file"}, `a "list"`
	for i := range p.Items {
		p.Items[i].Values = []string{"x\ny", "<z>"}
	}
	p.Items[1].Given, p.Items[2].StallAfter = true, 4
	text, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n != 5 {
		t.Errorf("%d lines for 3 items", n)
	}
	if got, err := item.ReadPlan(text); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%s\nis read as %+v, %v", text, got, err)
	}
	for _, old := range []string{`"guard":"all","fence":"sandbox"`, `"guard":"all","fence":"none"`} { // as commit 49a3901 wrote it
		before := strings.Replace(string(text), `"guard":"all"`, old, 1)
		if got, err := item.ReadPlan([]byte(before)); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%s\nis read as %+v, %v", before, got, err)
		}
	}
	var other bytes.Buffer
	if err := json.Indent(&other, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	if _, err := item.ReadPlan(other.Bytes()); err == nil {
		t.Error("another layout is read")
	}
	for _, change := range [][2]string{
		{`"T-1"`, `"../x"`}, {`"T-1"`, `"T-2"`}, {`"T-1"`, `"t-2"`}, {`"T-1"`, `""`}, {`"T-1"`, `"-1"`}, {`"T-1"`, `"a..b"`}, {`"max_attempts":3`, `"max_attempts":0`},
		{item.PlanSchema, "closeout.items/v2"}, {`"guard":"all"`, `"guard":"some"`}, {`"guard":"all"`, `"guard":"all","fence":"x"`},
		{`"guard":"all"`, `"guard":"all","fence":"none","fence":"none"`}, {`"guard":"all"`, `"fence":"none","guard":"all"`}, {fake, "aa"}, {`"base":"base"`, `"base":""`},
		{`"base":"base"`, `"base":"base","more":1`}, {`"base":"base"`, `"base":"base","base":"x"`}, {`"values":["x\ny",`, `"values":[`}, {"]}\n", ""}, {"]}\n", "]}\nx"},
	} {
		if bad := strings.Replace(string(text), change[0], change[1], 1); bad == string(text) {
			t.Errorf("%s is not in the plan", change[0])
		} else if p, err := item.ReadPlan([]byte(bad)); err == nil {
			t.Errorf("with %s: %+v", change[1], p)
		}
	}
}
