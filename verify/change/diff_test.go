package change

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/closeout-gate/closeout/verify/input"
)

// Parts of sections that the cases are built from.
const (
	headX   = "diff --git a/x b/x\n"
	indexX  = "index 1111111..2222222 100644\n"
	namesX  = "--- a/x\n+++ b/x\n"
	startX  = headX + indexX + namesX
	hunkX   = "@@ -1 +1 @@\n-a\n+b\n"
	editX   = startX + hunkX
	addY    = "diff --git a/y b/y\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n"
	deleteY = "diff --git a/y b/y\ndeleted file mode 100644\nindex 1234567..0000000\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n"
	linkY   = "diff --git a/y b/y\nnew file mode 120000\nindex 0000000..7654321\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
	renameX = "diff --git a/x b/z\nsimilarity index 100%\nrename from x\nrename to z\n"
	emptyY  = "diff --git a/y b/y\nnew file mode 100644\nindex 0000000..e69de29\n"
	forthX  = "GIT binary patch\nliteral 1\nHcmZQz00962\n\nliteral 0\nHcmV?d00001\n\n"
)

func describeChanges(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %q %s %s %s %s\n", c.Status, c.Path, c.OldMode, c.NewMode, cmp.Or(c.OldID, "null"), cmp.Or(c.NewID, "null"))
	}
	return b.String()
}

func TestReadDiffAccepts(t *testing.T) {
	const modX = "modified \"x\" 100644 100644 1111111 2222222\n"
	const newY = "added \"y\" 000000 100644 null 1234567\n"
	cases := []struct{ name, diff, want string }{
		{"edit", editX, modX},
		{"edit and addition", editX + addY, modX + newY},
		{"sorted by path", addY + editX, modX + newY},
		{"deletion", deleteY, "deleted \"y\" 100644 000000 1234567 null\n"},
		{"type change", deleteY + linkY, "type_changed \"y\" 100644 120000 1234567 7654321\n"},
		{"mode", headX + "old mode 100644\nnew mode 100755\n", "mode_changed \"x\" 100644 100755 null null\n"},
		{"mode and content", headX + "old mode 100644\nnew mode 100755\nindex 1111111..2222222\n" + namesX + hunkX, "modified \"x\" 100644 100755 1111111 2222222\n"},
		{"empty file", emptyY, "added \"y\" 000000 100644 null e69de29\n"},
		{"empty file, SHA-256", strings.Replace(emptyY, "e69de29", "473a0f4", 1), "added \"y\" 000000 100644 null 473a0f4\n"},
		{"empty file deleted", "diff --git a/y b/y\ndeleted file mode 100755\nindex e69de29..0000000\n", "deleted \"y\" 100755 000000 e69de29 null\n"},
		{"rename", renameX, "deleted \"x\" 100644 000000 null null\nadded \"z\" 000000 100644 null null\n"},
		{"rename with mode", "diff --git a/x b/z\nold mode 100755\nnew mode 100644\nsimilarity index 100%\nrename from x\nrename to z\n",
			"deleted \"x\" 100755 000000 null null\nadded \"z\" 000000 100644 null null\n"},
		{"rename with content", "diff --git a/x b/z\nsimilarity index 90%\nrename from x\nrename to z\nindex 1111111..2222222 120000\n--- a/x\n+++ b/z\n" + hunkX,
			"deleted \"x\" 120000 000000 1111111 null\nadded \"z\" 000000 120000 null 2222222\n"},
		{"all lines moved about", "diff --git a/x b/z\nsimilarity index 100%\nrename from x\nrename to z\nindex 1111111..2222222 100644\n--- a/x\n+++ b/z\n" + hunkX,
			"deleted \"x\" 100644 000000 1111111 null\nadded \"z\" 000000 100644 null 2222222\n"},
		{"rename binary", "diff --git a/x b/z\nsimilarity index 90%\nrename from x\nrename to z\nindex 1111111..2222222 100644\nBinary files a/x and b/z differ\n",
			"deleted \"x\" 100644 000000 1111111 null\nadded \"z\" 000000 100644 null 2222222\n"},
		{"copy", strings.ReplaceAll(renameX, "rename", "copy"), "added \"z\" 000000 100644 null null\n"},
		{"copy of a file that is renamed too", strings.ReplaceAll(strings.ReplaceAll(renameX, "rename", "copy"), "z", "w") + renameX,
			"added \"w\" 000000 100644 null null\ndeleted \"x\" 100644 000000 null null\nadded \"z\" 000000 100644 null null\n"},
		{"rename that looks like none",
			"diff --git a/q b/q b/q b/q\nsimilarity index 100%\nrename from q\nrename to q b/q b/q\n",
			"deleted \"q\" 100644 000000 null null\nadded \"q b/q b/q\" 000000 100644 null null\n"},
		{"a name that looks like two", "diff --git a/q b/q b/q b/q\nold mode 100644\nnew mode 100755\n", "mode_changed \"q b/q\" 100644 100755 null null\n"},
		{"rewritten", headX + "dissimilarity index 99%\n" + indexX + namesX + "@@ -1,2 +1 @@\n-a\n-b\n+c\n", modX},
		{"full ids", headX + "index " + strings.Repeat("1", 40) + ".." + strings.Repeat("2", 40) + " 100755\n" + namesX + hunkX,
			"modified \"x\" 100755 100755 " + strings.Repeat("1", 40) + " " + strings.Repeat("2", 40) + "\n"},
		{"symlink", headX + "index 1111111..2222222 120000\n" + namesX + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
			"modified \"x\" 120000 120000 1111111 2222222\n"},
		{"submodule", headX + "index 1111111..2222222 160000\n" + namesX + "@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n",
			"modified \"x\" 160000 160000 1111111 2222222\n"},
		{"binary", headX + indexX + "Binary files a/x and b/x differ\n", modX},
		{"binary added", "diff --git a/y b/y\nnew file mode 100644\nindex 0000000..1234567\nBinary files /dev/null and b/y differ\n", newY},
		{"binary deleted", "diff --git a/y b/y\ndeleted file mode 100644\nindex 1234567..0000000\nBinary files a/y and /dev/null differ\n",
			"deleted \"y\" 100644 000000 1234567 null\n"},
		{"binary patch", headX + indexX + forthX, modX},
		{"binary patch, two lines", headX + indexX + "GIT binary patch\ndelta 60\nz" + strings.Repeat("0", 65) + "\nA00000\n\nliteral 0\nHcmV?d00001\n\n" + addY, modX + newY},
		{"quoted octal", "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nold mode 100644\nnew mode 100755\n", "mode_changed \"ä\" 100644 100755 null null\n"},
		{"raw UTF-8", "diff --git a/ä b/ä\nold mode 100644\nnew mode 100755\n", "mode_changed \"ä\" 100644 100755 null null\n"},
		{"raw and no UTF-8", "diff --git a/\xff b/\xff\nold mode 100644\nnew mode 100755\n", "mode_changed \"\\xff\" 100644 100755 null null\n"},
		{"quoted for a tab, raw UTF-8", "diff --git \"a/ä\\t\" \"b/ä\\t\"\nold mode 100644\nnew mode 100755\n", "mode_changed \"ä\\t\" 100644 100755 null null\n"},
		{"every escape", "diff --git \"a/\\a\\b\\t\\n\\v\\f\\r\\\"\\\\\\001\\177\" \"b/\\a\\b\\t\\n\\v\\f\\r\\\"\\\\\\001\\177\"\nold mode 100644\nnew mode 100755\n",
			"mode_changed \"\\a\\b\\t\\n\\v\\f\\r\\\"\\\\\\x01\\x7f\" 100644 100755 null null\n"},
		{"quoted path that ends in a backslash", "diff --git \"a/x\\\\\" \"b/x\\\\\"\nold mode 100644\nnew mode 100755\n", "mode_changed \"x\\\\\" 100644 100755 null null\n"},
		{"blank in the name", "diff --git a/x y b/x y\n" + indexX + "--- a/x y\t\n+++ b/x y\t\n" + hunkX, "modified \"x y\" 100644 100644 1111111 2222222\n"},
		{"blank at the end of the name", "diff --git a/x  b/x \n" + indexX + "--- a/x \t\n+++ b/x \t\n" + hunkX, "modified \"x \" 100644 100644 1111111 2222222\n"},
		{"blank in a quoted name", "diff --git \"a/x\\t y\" \"b/x\\t y\"\n" + indexX + "--- \"a/x\\t y\"\t\n+++ \"b/x\\t y\"\t\n" + hunkX, "modified \"x\\t y\" 100644 100644 1111111 2222222\n"},
		{"binary, blank in the name", "diff --git a/x and b/x b/x and b/x\n" + indexX + "Binary files a/x and b/x and b/x and b/x differ\n",
			"modified \"x and b/x\" 100644 100644 1111111 2222222\n"},
		{"content that looks like a diff", startX + "@@ -1,3 +1,4 @@\n--- a/docs/ok.md\n-diff --git a/x b/x\n+++ b/docs/ok.md\n+@@ -1 +1 @@\n+diff --git a/y b/y\n context\n", modX},
		{"no context", startX + "@@ -2 +2 @@\n-a\n+b\n@@ -5,0 +6,2 @@\n+c\n+d\n@@ -8,2 +9,0 @@\n-e\n-f\n", modX},
		{"two hunks", startX + "@@ -1,2 +1,3 @@ func a\n a\n+b\n c\n@@ -10,2 +11 @@\n-a\n b\n", modX},
		{"count of one written out", startX + "@@ -1,1 +1,1 @@\n-a\n+b\n", modX},
		{"odd function", startX + "@@ -1 +1 @@ @@ -1 +1 @@ \xff\x1b[31m\n-a\n+b\n", modX},
		{"empty line of context", startX + "@@ -1,2 +1,2 @@\n\n-a\n+b\n", modX},
		{"file becomes empty", startX + "@@ -1 +0,0 @@\n-a\n", modX},
		{"file was empty", startX + "@@ -0,0 +1 @@\n+a\n", modX},
		{"no newline on the old side", startX + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", modX},
		{"no newline on the new side", startX + "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", modX},
		{"no newline on both sides", startX + "@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n", modX},
		{"no newline, then another file", startX + "@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n" + addY, modX + newY},
		{"carriage returns in the file", startX + "@@ -1 +1 @@\n-a\r\n+b\r\n", modX},
		{"NUL in the file", startX + "@@ -1 +1 @@\n-\x00\n+\x00\x00\n", modX},
		{"a deleted and a created file of another path", strings.ReplaceAll(deleteY, "y", "w") + linkY,
			"deleted \"w\" 100644 000000 1234567 null\nadded \"y\" 000000 120000 null 7654321\n"},
		{"odd paths are left to the check of scope", "diff --git a/../x b/../x\nold mode 100644\nnew mode 100755\n", "mode_changed \"../x\" 100644 100755 null null\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			changes, errs := readDiff([]byte(c.diff))
			if got := describeChanges(changes); got != c.want || len(errs) > 0 {
				t.Errorf("got\n%s%v\nwant\n%s", got, errs, c.want)
			}
			slow, list := ReadDiff(iotest.OneByteReader(strings.NewReader(c.diff)), input.DefaultLimits())
			if got := describeChanges(slow); got != c.want || list.Any() {
				t.Errorf("byte by byte: got\n%s%v\nwant\n%s", got, list.All(), c.want)
			}
		})
	}
}

func TestReadDiffRefuses(t *testing.T) {
	longName := strings.Repeat("n", maxHeaderLine)
	cases := []struct{ name, diff, where, want string }{
		// what is not a plain diff of git at all
		{"empty", "", "1:1", "the diff is empty"},
		{"newline", "\n", "1:1", "belongs to no file"},
		{"byte order mark", "\xef\xbb\xbf" + editX, "1:1", "byte order mark"},
		{"UTF-16", "\xff\xfed\x00i\x00", "1:1", "UTF-16"},
		{"UTF-16 without mark", "d\x00i\x00f\x00f\x00", "1:1", "UTF-16"},
		{"UTF-16, big end first", "\xfe\xff\x00d", "1:1", "UTF-16"},
		{"coloured", "\x1b[1mdiff --git a/x b/x\x1b[m\n", "1:1", "coloured"},
		{"coloured later", editX + "\x1b[1mdiff --git a/y b/y\x1b[m\n", "8:1", "coloured"},
		{"HTML", "<!DOCTYPE html>\n<p>404</p>", "1:1", "HTML"},
		{"JSON", `{"message":"Not Found"}`, "1:1", "JSON"},
		{"JSON list", `[]`, "1:1", "JSON"},
		{"mailbox", "From 1234567 Mon Sep 17 00:00:00 2001\nFrom: a\n\n---\n x | 2 +-\n\n" + editX, "1:1", "mailbox"},
		{"git show", "commit 1234567\nAuthor: a\n\n    diff --git a/y b/y\n\n" + editX, "1:1", "begins with a commit"},
		{"carriage returns", strings.ReplaceAll(editX, "\n", "\r\n"), "1:1", "line endings were converted"},
		{"context diff", "*** x\n--- x\n", "1:1", "context diff"},
		{"Subversion", "Index: x\n===\n", "1:1", "Subversion"},
		{"error of git", "fatal: bad revision 'main'\n", "1:1", "error message of git"},
		{"combined", "diff --cc x\nindex 1,2..3\n", "1:1", "combined diff of a merge"},
		{"combined, long", editX + "diff --combined y\n", "8:1", "combined diff of a merge"},
		{"combined hunk", "@@@ -1,2 -1,2 +1,2 @@@\n", "1:1", "combined diff of a merge"},
		{"submodule log", editX + "Submodule s 1234567..7654321:\n  > a\n", "8:1", "--submodule=log"},
		{"only in", "Only in a: x\n", "1:1", "diff -r"},
		{"diff -r", "diff -ru a/x b/x\n--- a/x\n+++ b/x\n", "1:1", "not printed by git"},
		{"traditional", "--- x\n+++ x\n" + hunkX, "1:1", "traditional diff"},
		{"traditional behind a section", editX + "--- a/y\n+++ b/y\n" + hunkX, "8:1", "traditional diff"},
		{"traditional before a section", "--- a/y\n+++ b/y\n" + hunkX + editX, "1:1", "traditional diff"},
		{"binary files without header", editX + "Binary files a/y and b/y differ\n", "8:1", "no section header"},
		{"hunk without header", hunkX, "1:1", "no section header"},
		{"raw format", ":100644 100644 1 2 M\tx\n\n" + editX, "1:1", "raw format"},
		{"unmerged", "* Unmerged path x\n" + editX, "1:1", "unfinished merge"},
		{"stat", " x | 2 +-\n 1 file changed\n\n" + editX, "1:1", "indented"},
		{"indented", "    " + strings.ReplaceAll(editX, "\n", "\n    "), "1:1", "indented"},
		{"quoted mail", "> " + strings.ReplaceAll(editX, "\n", "\n> "), "1:1", "quoted"},
		{"signature", editX + "-- \n2.39.5\n\n", "8:1", "signature of a mail"},
		{"text behind", editX + "\n", "8:1", "belongs to no file"},
		{"no prefix", "diff --git x x\n" + indexX + "--- x\n+++ x\n" + hunkX, "1:1", "do not begin with a/ and b/"},
		{"no prefix, hidden directory", "diff --git .github/workflows/ci.yml .github/workflows/ci.yml\n", "1:1", "do not begin with a/ and b/"},
		{"mnemonic prefix", "diff --git i/x w/x\n" + indexX + "--- i/x\n+++ w/x\n" + hunkX, "1:1", "do not begin with a/ and b/"},
		{"no prefix in a directory a", "diff --git a/x a/x\n" + indexX + "--- a/x\n+++ a/x\n" + hunkX, "1:16", "does not begin with b/"},
		{"no prefix, later", editX + "diff --git y y\nold mode 100644\nnew mode 100755\n", "8:12", "does not begin with a/"},
		{"reversed", "diff --git b/x a/x\n" + indexX + "--- b/x\n+++ a/x\n" + hunkX, "1:1", "do not begin with a/ and b/"},
		{"word diff", startX + "@@ -1 +1 @@\n[-a-]{+b+}\n", "6:1", "no line of a hunk"},
		{"word diff of indented lines", startX + "@@ -1,2 +1,2 @@\n a\n  [-a-]{+b+}\n", "5:1", "changes nothing"},

		// names
		{"no name", "diff --git a/ b/\nold mode 100644\nnew mode 100755\n", "1:12", "does not begin with a/"},
		{"one name", "diff --git a/x\nold mode 100644\nnew mode 100755\n", "1:12", "does not begin with a/"},
		{"names differ", "diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", "1:16", "two names differ"},
		{"names differ in length", "diff --git a/x b/xy\nold mode 100644\nnew mode 100755\n", "1:16", "two names differ"},
		{"quoted without need", "diff --git \"a/x\" \"b/x\"\nold mode 100644\nnew mode 100755\n", "1:12", "quoted without need"},
		{"quoted without need, raw UTF-8", "diff --git \"a/ä\" \"b/ä\"\nold mode 100644\nnew mode 100755\n", "1:12", "quoted without need"},
		{"only one quoted", "diff --git \"a/x\\t\" b/x\t\nold mode 100644\nnew mode 100755\n", "1:20", "two names differ"},
		{"raw and octal", "diff --git \"a/ä\\303\\244\" \"b/ä\\303\\244\"\nold mode 100644\nnew mode 100755\n", "1:12", "both raw and in octal"},
		{"hexadecimal escape", "diff --git \"a/\\x41\" \"b/\\x41\"\nold mode 100644\nnew mode 100755\n", "1:15", "no such escape"},
		{"escape of Go", "diff --git \"a/\\u0041\\t\" \"b/\\u0041\\t\"\nold mode 100644\nnew mode 100755\n", "1:15", "no such escape"},
		{"octal of a plain byte", "diff --git \"a/\\101\\t\" \"b/\\101\\t\"\nold mode 100644\nnew mode 100755\n", "1:15", "as it is"},
		{"octal of a letter escape", "diff --git \"a/\\011\" \"b/\\011\"\nold mode 100644\nnew mode 100755\n", "1:15", "as a letter"},
		{"octal above a byte", "diff --git \"a/\\400\" \"b/\\400\"\nold mode 100644\nnew mode 100755\n", "1:15", "no such escape"},
		{"octal too short", "diff --git \"a/\\1\" \"b/\\1\"\nold mode 100644\nnew mode 100755\n", "1:15", "no such escape"},
		{"NUL", "diff --git \"a/\\000\" \"b/\\000\"\nold mode 100644\nnew mode 100755\n", "1:15", "NUL"},
		{"raw NUL", "diff --git a/\x00 b/\x00\nold mode 100644\nnew mode 100755\n", "1:14", "git quotes a name"},
		{"raw tab", "diff --git a/x\t b/x\t\nold mode 100644\nnew mode 100755\n", "1:15", "git quotes a name"},
		{"raw quote", "diff --git a/x\" b/x\"\nold mode 100644\nnew mode 100755\n", "1:15", "git quotes a name"},
		{"raw tab in quotes", "diff --git \"a/x\t\" \"b/x\t\"\nold mode 100644\nnew mode 100755\n", "1:16", "not escaped"},
		{"no end of quotes", "diff --git \"a/x\\t\nold mode 100644\nnew mode 100755\n", "1:18", "no end"},
		{"quoted, one name", "diff --git \"a/x\\t\"\nold mode 100644\nnew mode 100755\n", "1:19", "two names differ"},
		{"quoted, names differ", "diff --git \"a/x\\t\" \"b/y\\t\"\nold mode 100644\nnew mode 100755\n", "1:20", "two names differ"},
		{"quoted, other prefix", editX + "diff --git \"c/x\\t\" \"b/x\\t\"\nold mode 100644\nnew mode 100755\n", "8:12", "does not begin with a/"},
		{"text behind the names", "diff --git \"a/x\\t\" \"b/x\\t\" z\nold mode 100644\nnew mode 100755\n", "1:20", "two names differ"},
		{"other name after ---", headX + indexX + "--- a/y\n+++ b/x\n" + hunkX, "3:5", "does not agree"},
		{"other name after +++", headX + indexX + "--- a/x\n+++ b/y\n" + hunkX, "4:5", "does not agree"},
		{"no prefix after ---", headX + indexX + "--- x\n+++ b/x\n" + hunkX, "3:5", "does not agree"},
		{"/dev/null in an edit", headX + indexX + "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n", "3:5", "does not agree"},
		{"no /dev/null in an addition", strings.Replace(addY, "/dev/null", "a/y", 1), "4:5", "does not agree"},
		{"no /dev/null in a deletion", strings.Replace(deleteY, "/dev/null", "b/y", 1), "5:5", "does not agree"},
		{"no tab after a blank", "diff --git a/x y b/x y\n" + indexX + "--- a/x y\n+++ b/x y\t\n" + hunkX, "3:5", "does not agree"},
		{"tab without a blank", headX + indexX + "--- a/x\t\n+++ b/x\n" + hunkX, "3:5", "does not agree"},
		{"time behind the name", headX + indexX + "--- a/x\t2026-01-01\n+++ b/x\n" + hunkX, "3:5", "does not agree"},
		{"raw tab after ---", "diff --git \"a/x\\ty\" \"b/x\\ty\"\n" + indexX + "--- a/x\ty\n+++ \"b/x\\ty\"\n" + hunkX, "3:5", "does not agree"},
		{"binary files of another name", headX + indexX + "Binary files a/x and b/y differ\n", "3:14", "do not agree"},
		{"binary files, text behind", headX + indexX + "Binary files a/x and b/x differ!\n", "3:14", "do not agree"},
		{"binary files, other old name", headX + indexX + "Binary files a/y and b/x differ\n", "3:14", "do not agree"},
		{"rename of other names", strings.Replace(renameX, "rename from x", "rename from y", 1), "1:12", "do not agree"},
		{"rename to other names", strings.Replace(renameX, "rename to z", "rename to y", 1), "1:12", "do not agree"},
		{"rename to itself", "diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to x\n", "1:12", "to itself"},
		{"rename, text behind the names", strings.Replace(renameX, "b/z", "b/z w", 1), "1:12", "do not agree"},
		{"rename from nothing", "diff --git a/ b/z\nsimilarity index 100%\nrename from \nrename to z\n", "3:13", "empty"},
		{"rename, quoted without need", strings.Replace(renameX, "from x", `from "x"`, 1), "3:13", "without need"},
		{"rename, text behind the quotes", strings.Replace(renameX, "from x", `from "x\t"y`, 1), "3:18", "follows the quoted name"},

		// the header
		{"no index line", headX + namesX + hunkX, "1:1", "no index line"},
		{"no mode in the index line", headX + "index 1111111..2222222\n" + namesX + hunkX, "2:7", "mode must be named once"},
		{"mode named twice", headX + "old mode 100644\nnew mode 100755\n" + indexX + namesX + hunkX, "4:7", "mode must be named once"},
		{"mode of an addition named twice", strings.Replace(addY, "1234567\n", "1234567 100644\n", 1), "3:7", "mode must be named once"},
		{"index line without dots", headX + "index 1111111 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"equal ids", headX + "index 1111111..1111111 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"short id", headX + "index 111..2222222 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"long id", headX + "index " + strings.Repeat("1", 65) + "..2222222 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"upper-case id", headX + "index 111111A..2222222 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"second id is none", headX + "index 1111111..222222g 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"three ids", headX + "index 1111111,3333333..2222222 100644\n" + namesX + hunkX, "2:7", "no pair of object ids"},
		{"zeros in an edit", headX + "index 0000000..2222222 100644\n" + namesX + hunkX, "2:7", "do not fit"},
		{"zeros on the new side of an edit", headX + "index 1111111..0000000 100644\n" + namesX + hunkX, "2:7", "do not fit"},
		{"no zeros in an addition", strings.Replace(addY, "0000000", "7654321", 1), "3:7", "do not fit"},
		{"no zeros in a deletion", strings.Replace(deleteY, "0000000", "7654321", 1), "3:7", "do not fit"},
		{"no such mode", strings.Replace(addY, "100644", "100666", 1), "2:15", "no such file mode"},
		{"no such mode in the index line", strings.Replace(editX, "100644", "040000", 1), "2:24", "no such file mode"},
		{"mode without new mode", headX + "old mode 100644\n" + indexX, "3:1", "must follow"},
		{"equal modes", headX + "old mode 100644\nnew mode 100644\n", "3:10", "no such change of mode"},
		{"change of type as change of mode", headX + "old mode 100644\nnew mode 120000\n", "3:10", "no such change of mode"},
		{"no such old mode", headX + "old mode 100640\nnew mode 100755\n", "2:10", "no such file mode"},
		{"no such new mode", headX + "old mode 100644\nnew mode 100777\n", "3:10", "no such file mode"},
		{"new mode alone", headX + "new mode 100755\n", "2:1", "does not belong here"},
		{"wrong order", headX + indexX + "old mode 100644\nnew mode 100755\n" + namesX + hunkX, "3:1", "does not belong here"},
		{"index line twice", headX + indexX + indexX + namesX + hunkX, "3:1", "does not belong here"},
		{"addition and deletion", "diff --git a/y b/y\nnew file mode 100644\ndeleted file mode 100644\n", "3:1", "does not belong here"},
		{"similarity without rename", headX + "similarity index 90%\n" + indexX + namesX + hunkX, "3:1", "`copy from` is missing"},
		{"rename without its end", "diff --git a/x b/z\nsimilarity index 100%\nrename from x\n", "4:1", "`rename to` is missing"},
		{"rename from, copy to", strings.Replace(renameX, "rename to", "copy to", 1), "4:1", "`rename to` is missing"},
		{"rename without similarity", "diff --git a/x b/z\nrename from x\nrename to z\n", "1:16", "two names differ"},
		{"rename of an addition", strings.Replace(renameX, "\n", "\nnew file mode 100644\n", 1), "1:16", "two names differ"},
		{"no percentage", strings.Replace(renameX, "100%", "100", 1), "2:18", "no percentage"},
		{"too many percent", strings.Replace(renameX, "100%", "101%", 1), "2:18", "no percentage"},
		{"percentage with zeros", strings.Replace(renameX, "100%", "0100%", 1), "2:18", "no percentage"},
		{"dissimilarity alone", headX + "dissimilarity index 99%\nold mode 100644\nnew mode 100755\n", "3:1", "does not belong here"},
		{"carriage return in a later header", editX + "diff --git a/y b/y\r\nold mode 100644\nnew mode 100755\n", "8:19", "carriage return"},
		{"text in the header", headX + "Index: x\n" + indexX + namesX + hunkX, "2:1", "does not belong here"},
		{"long name", "diff --git a/" + longName + " b/" + longName + "\nold mode 100644\nnew mode 100755\n", "1:1", "longer than"},

		// sections without content
		{"header alone", headX, "1:1", "no content"},
		{"header alone before another", headX + addY, "1:1", "no content"},
		{"edit without content", headX + indexX, "1:1", "no content"},
		{"edit with mode without content", headX + "old mode 100644\nnew mode 100755\nindex 1111111..2222222\n", "1:1", "no content"},
		{"rewritten without content", headX + "old mode 100644\nnew mode 100755\ndissimilarity index 90%\n", "1:1", "no content"},
		{"addition without content", strings.Replace(emptyY, "e69de29", "1234567", 1), "1:1", "no content"},
		{"addition without index line", "diff --git a/y b/y\nnew file mode 100644\n", "1:1", "no content"},
		{"deletion without content", "diff --git a/y b/y\ndeleted file mode 100644\nindex 1234567..0000000\n", "1:1", "no content"},
		{"empty submodule", strings.Replace(emptyY, "100644", "160000", 1), "1:1", "no content"},
		{"empty submodule deleted", "diff --git a/y b/y\ndeleted file mode 160000\nindex e69de29..0000000\n", "1:1", "no content"},
		{"rename of 99% without content", strings.Replace(renameX, "100%", "99%", 1), "1:1", "no content"},
		{"rename of 100% with index line alone", renameX + indexX, "1:1", "no content"},
		{"names without hunk", startX, "5:1", "a hunk must begin here"},
		{"names without hunk before another", startX + addY, "5:1", "a hunk must begin here"},
		{"--- without +++", headX + indexX + "--- a/x\n" + hunkX, "4:1", "is missing"},

		// hunks
		{"wrong header of a hunk", startX + "@@ -1 +1 \n-a\n+b\n", "5:5", "no header of a hunk"},
		{"leading zero", startX + "@@ -01 +1 @@\n-a\n+b\n", "5:5", "no header of a hunk"},
		{"sign", startX + "@@ -1 ++1 @@\n-a\n+b\n", "5:5", "no header of a hunk"},
		{"huge number", startX + "@@ -1 +99999999999999999999 @@\n-a\n+b\n", "5:5", "no header of a hunk"},
		{"empty count", startX + "@@ -1, +1 @@\n-a\n+b\n", "5:5", "no header of a hunk"},
		{"no blank before the function", startX + "@@ -1 +1 @@x\n-a\n+b\n", "5:5", "no header of a hunk"},
		{"old line zero", startX + "@@ -0 +1 @@\n-a\n+b\n", "5:1", "cannot exist"},
		{"new line zero", startX + "@@ -1 +0 @@\n-a\n+b\n", "5:1", "cannot exist"},
		{"no lines", startX + "@@ -1,0 +1,0 @@\n", "5:1", "cannot exist"},
		{"too few lines", startX + "@@ -1,2 +1 @@\n-a\n+b\n", "8:1", "ends too early"},
		{"too few lines before another", startX + "@@ -1,2 +1 @@\n-a\n+b\n" + addY, "8:1", "ends too early"},
		{"too few lines before a hunk", startX + "@@ -1,2 +1 @@\n-a\n+b\n@@ -9 +8 @@\n-a\n+b\n", "8:1", "ends too early"},
		{"too many new lines", startX + hunkX + "+hidden\n", "8:1", "beyond the end of the hunk"},
		{"too many old lines", startX + hunkX + "-hidden\n", "8:1", "beyond the end of the hunk"},
		{"too many lines of context", startX + hunkX + " hidden\n", "8:1", "beyond the end of the hunk"},
		{"too many lines of one side", startX + "@@ -1 +1,2 @@\n-a\n-b\n+a\n+b\n", "7:1", "more lines than its header"},
		{"too many new lines inside", startX + "@@ -1,2 +1 @@\n+a\n+b\n-a\n-b\n", "7:1", "more lines than its header"},
		{"a foreign line", startX + "@@ -1 +1 @@\n-a\n*b\n", "7:1", "no line of a hunk"},
		{"a foreign line at the end, cut", startX + "@@ -1 +1 @@\n-a\n*b", "7:1", "middle of a line"},
		{"context alone", startX + "@@ -1,2 +1,2 @@\n a\n b\n", "5:1", "changes nothing"},
		{"context alone without newline", startX + "@@ -1,2 +1,2 @@\n a\n b\n\\ No newline at end of file\n", "5:1", "changes nothing"},
		{"wrong place", startX + "@@ -1 +2 @@\n-a\n+b\n", "5:1", "do not agree"},
		{"wrong place of the second", startX + hunkX + "@@ -9 +10 @@\n-a\n+b\n", "8:1", "do not agree"},
		{"descending", startX + "@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n", "8:1", "overlaps"},
		{"overlap", startX + "@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -2 +2 @@\n-c\n+d\n", "9:1", "overlaps"},
		{"overlap on the new side", startX + "@@ -1 +1,3 @@\n-a\n+b\n+c\n+d\n@@ -3 +3 @@\n-c\n+d\n", "10:1", "overlaps"},
		{"addition with old lines", strings.Replace(addY, "@@ -0,0 +1 @@\n", "@@ -1 +1,2 @@\n x\n", 1), "6:1", "a new file"},
		{"addition from line two on", strings.Replace(addY, "-0,0 +1 @@", "-1,0 +2 @@", 1), "6:1", "a new file"},
		{"addition in two hunks", addY + "@@ -0,0 +2 @@\n+z\n", "8:1", "a new file"},
		{"deletion with new lines", strings.Replace(deleteY, "@@ -1 +0,0 @@\n", "@@ -1,2 +1 @@\n x\n", 1), "6:1", "a deleted file"},
		{"deletion from line two on", strings.Replace(deleteY, "-1 +0,0 @@", "-2 +1,0 @@", 1), "6:1", "a deleted file"},
		{"deletion in two hunks", deleteY + "@@ -2 +0,0 @@\n-z\n", "8:1", "a deleted file"},
		{"hunk beyond the end", startX + "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -5 +5 @@\n-a\n+b\n", "9:1", "follows the end of the file"},
		{"hunk beyond the end of the old side", startX + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n@@ -5 +5 @@\n-a\n+b\n", "9:1", "follows the end of the file"},
		{"no newline in the middle of the old side", startX + "@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n", "7:1", "only the last line"},
		{"no newline in the middle of the new side", startX + "@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n+c\n", "8:1", "only the last line"},
		{"no newline in the middle of context", startX + "@@ -1,2 +1,3 @@\n a\n\\ No newline at end of file\n b\n+c\n", "7:1", "only the last line"},
		{"no newline before any line", startX + "@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", "6:1", "only the last line"},
		{"no newline twice", startX + "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n\\ No newline at end of file\n", "9:1", "beyond the end"},
		{"no newline twice inside", startX + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n\\ No newline at end of file\n+b\n", "8:1", "only the last line"},
		{"other words", startX + "@@ -1 +1 @@\n-a\n+b\n\\ Kein Zeilenumbruch\n", "8:1", "no line of a hunk"},

		// binary patches
		{"binary patch without parts", headX + indexX + "GIT binary patch\n", "4:1", "part of a binary patch"},
		{"binary patch of one part", headX + indexX + "GIT binary patch\nliteral 1\nHcmZQz00962\n\n", "7:1", "part of a binary patch"},
		{"binary patch without size", headX + indexX + strings.Replace(forthX, "literal 1", "literal x", 1), "4:9", "no size"},
		{"binary patch without data", headX + indexX + "GIT binary patch\nliteral 1\n\nliteral 0\nHcmV?d00001\n\n", "5:1", "no line of a binary patch"},
		{"binary patch, line too short", headX + indexX + strings.Replace(forthX, "00962", "0096", 1), "5:1", "no line of a binary patch"},
		{"binary patch, line too long", headX + indexX + strings.Replace(forthX, "00962", "009620", 1), "5:1", "no line of a binary patch"},
		{"binary patch, wrong length", headX + indexX + strings.Replace(forthX, "HcmZ", "?cmZ", 1), "5:1", "no line of a binary patch"},
		{"binary patch, wrong character", headX + indexX + strings.Replace(forthX, "00962", "009 2", 1), "5:1", "no line of a binary patch"},
		{"binary patch, wrong byte", headX + indexX + strings.Replace(forthX, "00962", "009\xff2", 1), "5:1", "no line of a binary patch"},
		{"binary patch, short line in the middle", headX + indexX + strings.Replace(forthX, "00962\n", "00962\nHcmZQz00962\n", 1), "6:1", "no line of a binary patch"},
		{"binary patch, cut", headX + indexX + "GIT binary patch\nliteral 1\nHcmZQz00962\n", "6:1", "binary patch ends too early"},
		{"binary patch, no empty line", headX + indexX + strings.Replace(forthX, "00962\n\n", "00962\n", 1), "6:1", "no line of a binary patch"},
		{"binary patch with carriage return", headX + indexX + strings.Replace(forthX, "patch\n", "patch\r\n", 1), "3:1", "does not belong here"},

		// the end, and paths that occur twice
		{"no newline at the end", strings.TrimSuffix(editX, "\n"), "7:1", "middle of a line"},
		{"cut in the header", headX + "old mode 100644\nnew mode 1007", "3:1", "middle of a line"},
		{"cut in the first line", "diff --git a/x b/", "1:1", "middle of a line"},
		{"cut in a later first line", editX + "diff --git a/y b/y", "8:1", "middle of a line"},
		{"cut in the marker", startX + "@@ -1 +1 @@\n-a\n\\ No newline at end of file", "7:1", "middle of a line"},
		{"cut in ---", headX + indexX + "--- a/x", "3:1", "middle of a line"},
		{"cut in binary files", headX + indexX + "Binary files a/x and b/x differ", "3:1", "middle of a line"},
		{"cut in a binary patch", headX + indexX + "GIT binary patch", "3:1", "middle of a line"},
		{"path twice", editX + editX, "8:1", "touched by two sections"},
		{"path twice, apart", editX + addY + editX, "15:1", "touched by two sections"},
		{"deletion and creation of one type", deleteY + addY, "8:1", "touched by two sections"},
		{"creation, then deletion", linkY + deleteY, "9:1", "touched by two sections"},
		{"type change with a section between", deleteY + editX + linkY, "15:1", "touched by two sections"},
		{"rename onto an edited path", renameX + strings.ReplaceAll(headX, "x", "z") + "old mode 100644\nnew mode 100755\n", "5:1", "touched by two sections"},
		{"rename away from a deleted path", strings.ReplaceAll(deleteY, "/y", "/x") + renameX, "8:1", "touched by two sections"},
		{"two renames of one path", renameX + strings.ReplaceAll(renameX, "z", "w"), "5:1", "touched by two sections"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			changes, errs := readDiff([]byte(c.diff))
			if len(errs) != 1 || changes != nil {
				t.Fatalf("%d changes, errors %v, want one error: %s", len(changes), errs, c.want)
			}
			e := errs[0]
			if at := fmt.Sprintf("%d:%d", e.Pos.Line, e.Pos.Column); at != c.where || !strings.Contains(e.Message, c.want) {
				t.Errorf("got %v, want %s: …%s…", e, c.where, c.want)
			}
			if e.Found == "" || e.Expected == "" || e.Fix == "" || e.Limit != "" {
				t.Errorf("the error lacks something: %+v", e)
			}
		})
	}
}

func TestReadDiffListsAllErrors(t *testing.T) {
	diff := strings.Replace(editX, "-a\n", "", 1) + addY + "Submodule s 1..2:\n  > fix\n" + strings.Replace(deleteY, "100644", "100600", 1)
	_, errs := readDiff([]byte(diff))
	var at []int
	for _, e := range errs {
		at = append(at, e.Pos.Line)
	}
	if fmt.Sprint(at) != "[7 14 17]" {
		t.Errorf("errors in lines %v: %v", at, errs)
	}
}

func TestReadDiffLimits(t *testing.T) {
	long := "-" + strings.Repeat("a", 2*diffBlock) + "\n"
	cases := []struct {
		name, diff, flag string
		limits           func(*input.Limits)
		at               input.Pos
	}{
		{"size", editX + addY, input.FlagDiffBytes, func(l *input.Limits) { l.DiffBytes = int64(len(editX+addY)) - 1 }, input.Pos{Line: 1, Column: 1}},
		{"size that is just right", editX + addY, "", func(l *input.Limits) { l.DiffBytes = int64(len(editX + addY)) }, input.Pos{}},
		{"line", startX + "@@ -1 +1 @@\n-abc\n+b\n", input.FlagDiffLineBytes, func(l *input.Limits) { l.DiffLineBytes = 3 }, input.Pos{Line: 6, Column: 1}},
		{"line that is just right", startX + "@@ -1 +1 @@\n-abc\n+b\n", "", func(l *input.Limits) { l.DiffLineBytes = 4 }, input.Pos{}},
		{"long line", startX + "@@ -1 +1 @@\n" + long + "+b\n", input.FlagDiffLineBytes, func(l *input.Limits) { l.DiffLineBytes = int64(len(long)) - 2 }, input.Pos{Line: 6, Column: 1}},
		{"long line that is just right", startX + "@@ -1 +1 @@\n" + long + "+b\n", "", func(l *input.Limits) { l.DiffLineBytes = int64(len(long)) - 1 }, input.Pos{}},
		{"files", editX + addY, input.FlagFiles, func(l *input.Limits) { l.Files = 1 }, input.Pos{Line: 8, Column: 1}},
		{"files of a rename", renameX, input.FlagFiles, func(l *input.Limits) { l.Files = 1 }, input.Pos{Line: 1, Column: 1}},
		{"files that are just right", editX + addY, "", func(l *input.Limits) { l.Files = 2 }, input.Pos{}},
		{"a change of type is one file", deleteY + linkY, "", func(l *input.Limits) { l.Files = 1 }, input.Pos{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			limits := input.DefaultLimits()
			c.limits(&limits)
			changes, list := ReadDiff(strings.NewReader(c.diff), limits)
			errs := list.All()
			if c.flag == "" {
				if len(errs) > 0 || len(changes) == 0 {
					t.Fatalf("%d changes, %v", len(changes), errs)
				}
				return
			}
			if len(errs) != 1 || errs[0].Limit != c.flag || errs[0].Pos != c.at || changes != nil {
				t.Fatalf("%d changes, %+v, want %s at %v", len(changes), errs, c.flag, c.at)
			}
		})
	}
}

func TestReadDiffLongLines(t *testing.T) {
	// Lines whose ends fall before, on and after the end of the buffer, and one that is cut there.
	for size := diffBlock - 200; size < diffBlock+200; size++ {
		diff := startX + "@@ -1 +1 @@\n-" + strings.Repeat("a", size) + "\n+b\n\\ No newline at end of file\n"
		if changes, errs := readDiff([]byte(diff)); len(changes) != 1 || len(errs) > 0 {
			t.Fatalf("%d bytes: %d changes, %v", size, len(changes), errs)
		}
	}
	_, errs := readDiff([]byte(startX + "@@ -1 +1 @@\n-" + strings.Repeat("a", 2*diffBlock)))
	if len(errs) != 1 || !strings.Contains(errs[0].Message, "middle of a line") {
		t.Errorf("cut in a long line: %v", errs)
	}
}

func TestReadDiffMemory(t *testing.T) {
	diff := io.MultiReader(strings.NewReader(startX+"@@ -1 +1 @@\n-"), io.LimitReader(letters{}, 60<<20), strings.NewReader("\n+b\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	changes, errs := ReadDiff(diff, input.DefaultLimits())
	runtime.ReadMemStats(&after)
	if len(changes) != 1 || errs.Any() {
		t.Fatal(errs.All())
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 2<<20 {
		t.Errorf("%d bytes for a line of 60 MiB", allocated)
	}
}

type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

func TestReadDiffUnreadable(t *testing.T) {
	broken := &fs.PathError{Op: "read", Path: "/some/where", Err: errors.New("the disk is gone")}
	for _, text := range []string{"", "diff --gi", headX, startX + "@@ -1 +1 @@\n-a\n", editX} {
		changes, list := ReadDiff(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), input.DefaultLimits())
		errs := list.All()
		if len(errs) != 1 || errs[0].Message != "the input cannot be read: the disk is gone" || errs[0].Found != "the disk is gone" || changes != nil {
			t.Errorf("after %q: %d changes, %+v", text, len(changes), errs)
		}
	}
}

// TestReadDiffDamage cuts and thins out real diffs. What is accepted never lacks a path whose section has begun, and a
// cut diff is accepted only when nothing shows that more was to come.
func TestReadDiffDamage(t *testing.T) { readDamaged(t, 5) }

// readDamaged damages every nth line.
func readDamaged(t *testing.T, nth int) {
	for name, c := range corpus(t) {
		if len(c.diff) > 8<<10 || strings.Contains(name, "sha256") {
			continue
		}
		whole, _ := readDiff(c.diff)
		lines := bytes.SplitAfter(c.diff, []byte("\n"))
		offset := 0
		for i, line := range lines[:len(lines)-1] {
			if i%nth > 0 {
				offset += len(line)
				continue
			}
			thin := bytes.Join(append(append([][]byte{}, lines[:i]...), lines[i+1:]...), nil)
			accepted(t, name, "without line "+strconv.Itoa(i+1), thin, whole, len(lines))
			if accepted(t, name, "cut before line "+strconv.Itoa(i+1), c.diff[:offset], whole, i) && !mayFollow(line) {
				t.Errorf("%s: cut before line %d is accepted", name, i+1)
			}
			if _, errs := readDiff(c.diff[:offset+len(line)-1]); len(errs) == 0 {
				t.Errorf("%s: cut at the end of line %d is accepted", name, i+1)
			}
			offset += len(line)
		}
	}
}

// mayFollow reports whether a diff that stops before line can be whole: after a section, after a hunk, after a line
// that may lack its newline or not, and after a change of mode or a rename that may have content or not.
func mayFollow(line []byte) bool {
	for _, prefix := range []string{sectionStart, "@@ ", `\ `, "index "} {
		if bytes.HasPrefix(line, []byte(prefix)) {
			return true
		}
	}
	return false
}

// accepted reports whether a damaged diff is accepted, and checks that it then has every path whose section begins in
// its first lines.
func accepted(t *testing.T, name, damage string, diff []byte, whole []Change, lines int) bool {
	t.Helper()
	changes, errs := readDiff(diff)
	if len(errs) > 0 {
		return false
	}
	found := map[string]bool{}
	for _, c := range changes {
		found[c.Path] = true
	}
	for _, c := range whole {
		if c.Pos.Line <= lines && !found[c.Path] {
			t.Errorf("%s %s: accepted without %q", name, damage, c.Path)
		}
	}
	return true
}

// TestReadDiffEveryCut cuts small diffs at every byte.
func TestReadDiffEveryCut(t *testing.T) {
	for _, diff := range []string{editX + addY, deleteY + linkY, renameX + addY, headX + indexX + forthX + addY, emptyY + editX} {
		for at := range len(diff) {
			_, errs := readDiff([]byte(diff[:at]))
			if len(errs) == 0 && (diff[at-1] != '\n' || !mayFollow([]byte(diff[at:]))) {
				t.Errorf("accepted, cut at %d: %q", at, diff[:at])
			}
		}
	}
}

// FuzzReadDiff checks that places lie in the input, that the size of what comes from the reader at a time does not
// matter, that an accepted diff ends in a newline and begins with a section, and that each of its sections is in the
// result.
func FuzzReadDiff(f *testing.F) {
	for _, c := range corpus(f) {
		if len(c.diff) < 4<<10 {
			f.Add(c.diff)
		}
	}
	for _, s := range []string{editX, addY + editX, deleteY + linkY, renameX, emptyY, headX + indexX + forthX} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, diff []byte) {
		changes, errs := readDiff(diff)
		insideText(t, diff, errs)
		slow, list := ReadDiff(iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(diff))), input.DefaultLimits())
		if describeChanges(slow) != describeChanges(changes) || len(list.All()) != len(errs) {
			t.Errorf("in pieces: %s%v, at once: %s%v", describeChanges(slow), list.All(), describeChanges(changes), errs)
		}
		if len(errs) > 0 {
			if changes != nil {
				t.Error("changes beside errors")
			}
			return
		}
		if !bytes.HasPrefix(diff, []byte(sectionStart)) || !bytes.HasSuffix(diff, []byte("\n")) {
			t.Error("accepted without header or newline")
		}
		sections := bytes.Count(append([]byte("\n"), diff...), []byte("\n"+sectionStart))
		retyped := 0
		for i, c := range changes {
			if c.Status == TypeChanged {
				retyped++
			}
			if c.Path == "" || i > 0 && changes[i-1].Path >= c.Path {
				t.Errorf("paths are not ascending: %q", c.Path)
			}
		}
		if len(changes)+retyped < sections {
			t.Errorf("%d sections, %d changes", sections, len(changes))
		}
	})
}

// insideText checks that the places of errors lie in a text.
func insideText(t *testing.T, text []byte, errs []input.Error) {
	t.Helper()
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, e := range errs {
		if e.Pos.IsZero() && e.Times > 0 {
			continue
		}
		if e.Pos.Line < 1 || e.Pos.Line > len(lines) || e.Pos.Column < 1 || e.Pos.Column > len(lines[e.Pos.Line-1])+1 {
			t.Errorf("%v lies outside of the text", e)
		}
	}
}

func BenchmarkReadDiff(b *testing.B) {
	var diff bytes.Buffer
	for i := 0; diff.Len() < 20<<20; i++ {
		fmt.Fprintf(&diff, "diff --git a/dir%d/file.go b/dir%d/file.go\n"+indexX+"--- a/dir%d/file.go\n+++ b/dir%d/file.go\n", i, i, i, i)
		diff.WriteString("@@ -1,400 +1,400 @@ func main() {\n")
		for j := range 100 {
			fmt.Fprintf(&diff, " \tfor i := 0; i < %d; i++ {\n-\t\told := %d\n \t}\n+\t\tnew := \"a longer line, as one finds it in code\" + %d\n \n", j, j, j)
		}
	}
	b.SetBytes(int64(diff.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := ReadDiff(bytes.NewReader(diff.Bytes()), input.DefaultLimits()); errs.Any() {
			b.Fatal(errs.All())
		}
	}
}
