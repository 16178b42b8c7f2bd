package input

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"
)

// Form is what a text must be.
type Form struct {
	Valid    func(string) bool
	Expected string
	Fix      string // what to write in place of a text that is not valid; "" for what is expected
}

// Forms are the forms and the sets of words that the fields of a format name.
type Forms struct {
	Text  map[string]Form
	Words map[string][]string
	Left  string // a key that is reported as unknown although a field has it; "" for none
}

// Decode reads the members of an object into a struct, by the tags of its fields:
//
//   - json:"NAME" is the key. One with omitempty or omitzero may be absent; then the field stays as it is.
//   - is:"FORM" names the form of a text, or of each text of a list: a form, a set of words, or words with | between them. Without it,
//     a text must not be blank. For a number it is the minimum, or minimum and maximum with a hyphen between them. A field with
//     is:"-" is left to the caller.
//   - null:"yes" lets the value be null, which counts as absent. An optional text may be null unless it has null:"no".
//
// A list is never nil where its key is there. Every other key is reported.
func (x *Forms) Decode(f *Fields, into any) { x.decode(f, reflect.ValueOf(into).Elem()) }

func (x *Forms) decode(f *Fields, v reflect.Value) {
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i).Tag
		key, optional, _ := strings.Cut(tag.Get("json"), ",")
		form, null := tag.Get("is"), tag.Get("null")
		if key == x.Left {
			continue
		}
		if !x.knows(field.Type(), form) {
			panic("input: the tag of " + key + " names no form: " + form) // it would let any text pass
		}
		n := f.Get(key)
		mayBeNull := null == "yes" || (null == "" && optional != "" && field.Kind() == reflect.String)
		switch {
		case form == "-":
		case n == nil && optional == "":
			f.Need(key, x.expected(field.Type(), form))
		case n == nil, n.Kind == KindNull && mayBeNull:
		default:
			x.value(f, n, key, form, field)
		}
	}
	f.End()
}

// knows reports whether the tag of a field names a form that exists, or none. Only texts have forms.
func (x *Forms) knows(field reflect.Type, form string) bool {
	if kind := field.Kind(); kind == reflect.Pointer || kind == reflect.Slice {
		field = field.Elem()
	}
	_, known := x.Text[form]
	return field.Kind() != reflect.String || form == "" || form == "-" || known || x.words(form) != nil
}

var ratioType = reflect.TypeFor[Ratio]()

// expected says what a missing value must be.
func (x *Forms) expected(field reflect.Type, form string) string {
	switch {
	case field.Kind() == reflect.Pointer:
		return x.expected(field.Elem(), form) + ", or null"
	case field == ratioType:
		return "a number from 0 to 1"
	case field.Kind() == reflect.Bool:
		return "true or false"
	case field.Kind() == reflect.Int64, field.Kind() == reflect.Int:
		return "a whole number"
	case field.Kind() == reflect.Struct:
		return "an object"
	case field.Kind() != reflect.String:
		return "a list"
	case x.words(form) != nil:
		return "one of " + strings.Join(x.words(form), ", ")
	}
	return cmp.Or(x.Text[form].Expected, "a text")
}

// words are the words of a set; nil where a form is not a set.
func (x *Forms) words(form string) []string {
	if strings.Contains(form, "|") {
		return strings.Split(form, "|")
	}
	return x.Words[form]
}

// value reads the value of a key.
func (x *Forms) value(f *Fields, n *Node, key, form string, field reflect.Value) {
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(f.Flag(key))
	case reflect.Int, reflect.Int64:
		if field.Type() == ratioType {
			share, _ := f.Share(n, key)
			field.SetInt(int64(share))
		} else {
			least, most, bounded := strings.Cut(form, "-")
			low, _ := strconv.ParseInt(least, 10, 64) // 0 where the tag says none
			high := int64(MaxSafeInteger)
			if bounded {
				high, _ = strconv.ParseInt(most, 10, 64)
			}
			if number := f.IntegerOf(n, key, low, high); number != nil {
				field.SetInt(*number)
			}
		}
	case reflect.String:
		field.SetString(x.text(f, n, key, form))
	case reflect.Struct:
		x.decode(f.ObjectOrEmpty(n, key, key), field)
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		x.value(f, n, key, form, field.Elem())
	default:
		x.list(f, n, key, form, field)
	}
}

func (x *Forms) text(f *Fields, n *Node, key, form string) string {
	switch want, known := x.Text[form]; {
	case x.words(form) != nil:
		return f.wordOf(n, key, x.words(form))
	case !known:
		return f.TextOf(n, key).Value
	case n.Kind == KindString && want.Valid(n.Text):
		return n.Text
	default:
		f.WrongFix(n, key, want.Expected, want.Fix)
		return ""
	}
}

// list reads texts, or objects.
func (x *Forms) list(f *Fields, n *Node, key, form string, field reflect.Value) {
	items := f.ListOf(n, key)
	if n.Kind != KindList {
		return
	}
	if field.Type().Elem().Kind() == reflect.Struct {
		field.Set(reflect.MakeSlice(field.Type(), len(items), len(items)))
		for i, item := range items {
			x.decode(f.ObjectOrEmpty(item, key+"/"+strconv.Itoa(i), "each of "+key), field.Index(i))
		}
		return
	}
	want, known := x.Text[form]
	if field.Type().Elem().Kind() == reflect.Int64 {
		list, seen := []int64{}, map[int64]bool{}
		for i, item := range items {
			if number, ok := IntegerOf(item); ok && number <= MaxSafeInteger && want.Valid(item.Text) && !seen[number] {
				list, seen[number] = append(list, number), true
			} else {
				f.Errs.Add(WrongElement(item, f.Pointer(key)+"/"+strconv.Itoa(i), "each of "+key, want.Expected))
			}
		}
		field.Set(reflect.ValueOf(list))
		return
	}
	list := []string{}
	if !known {
		for _, text := range f.TextsOf(n, key) {
			list = append(list, text.Value)
		}
	}
	for i, item := range items {
		switch {
		case !known:
		case item.Kind == KindString && want.Valid(item.Text):
			list = append(list, item.Text)
		default:
			f.Errs.Add(WrongElement(item, f.Pointer(key)+"/"+strconv.Itoa(i), "each of "+key, want.Expected))
		}
	}
	field.Set(reflect.ValueOf(list))
}
