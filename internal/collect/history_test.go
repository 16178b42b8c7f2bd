package collect

import "testing"

// TestNoMailAddress wants no mail address in the name of an author.
func TestNoMailAddress(t *testing.T) {
	for name, want := range map[string]string{
		"Mona Lisa": "Mona Lisa", "": "", "mona@example.com": "mona@…", "Mona <b> mona@example.com": "Mona <b> mona@…", "@mona": "@mona",
		"  two\t spaces ": "two spaces", "\xffx": "�x", "a@b c@d": "a@… c@…", "1+mona@users.noreply.github.com": "1+mona@…", "@a@b": "@a@…",
	} {
		if got := withoutMail(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
