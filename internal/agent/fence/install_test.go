package fence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSettingsRace checks that settings are not written over that another program has just written.
func TestSettingsRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("{\"theirs\": true}"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &Settings{Tell: func(string, ...any) {}}
	file := &settingsFile{name: "settings.json", path: path, before: []byte("{}"), after: []byte("{\"ours\": true}")}
	err := h.write([]*settingsFile{file})
	if err == nil || !strings.Contains(err.Error(), "has just been changed by another program") {
		t.Error(err)
	}
	file.before = []byte("{\"theirs\": true}")
	err = h.write([]*settingsFile{file})
	if text, _ := os.ReadFile(path); err != nil || string(text) != "{\"ours\": true}" {
		t.Error(err, string(text))
	}
}
