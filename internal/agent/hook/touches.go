package hook

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// Touch is a path that a call would write, as the call names it.
type Touch struct {
	Path    string
	Dir     string // that a relative path starts from, if the arguments name one
	Deleted bool
}

// pathKeys are the arguments that name a file, in small letters and without separators.
var pathKeys = strings.Fields("filepath notebookpath path filename file targetfile newpath oldpath paths files filepaths filenames " +
	"relativepath absolutepath targetpath outputpath outputfile pathinproject newfilepath oldfilepath uri uris " +
	"fileuri newuri olduri")

// endKeys name files where the tool is known to write: elsewhere they may mean anything.
var endKeys = []string{"source", "destination"}

// Touches lists what a call would write, as far as its arguments say: those of any tool that is not known only to read. Every value
// counts where a key is there twice: a reader may take either.
func (c *Call) Touches() (list []Touch) {
	if c.OnlyReads() || c.views() {
		return nil
	}
	for _, input := range c.Inputs {
		list = append(list, c.touchesOf(input)...)
	}
	return list
}

// views reports whether an editor is asked only to show a file.
func (c *Call) views() bool {
	views, others := false, false
	for _, input := range c.Inputs {
		_ = walk(input, func(key string, text func() string) { // it was read before
			if strings.EqualFold(key, "command") {
				views, others = views || text() == "view", others || text() != "view"
			}
		})
	}
	return views && !others
}

// Unnamed reports whether the agent's own tool would write, and its arguments do not say what: then they are not understood.
func (c *Call) Unnamed() bool {
	return c.Writes() && !c.MCP() && !c.views() && len(c.Touches()) == 0
}

func (c *Call) touchesOf(input []byte) (list []Touch) {
	dirs := []string{""}
	_ = walk(input, func(key string, text func() string) { // it was read before
		switch key = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key)); {
		case key == "workdir" || key == "cwd":
			dirs = append(dirs, text())
		case !c.Writes():
		case c.tool() == "applypatch" || (slices.Contains(patchKeys, key) && strings.Contains(text(), patchBegin)):
			list = append(list, Patch(text())...)
		}
		if !slices.Contains(pathKeys, key) && !(c.Writes() && slices.Contains(endKeys, key)) {
			return
		}
		for _, p := range c.local(text()) {
			if p != "" && (absolute(p) || !c.remote()) {
				list = append(list, Touch{Path: p})
			}
		}
	})
	for _, t := range slices.Clone(list) {
		for _, dir := range dirs[1:] {
			list = append(list, Touch{t.Path, dir, t.Deleted})
		}
	}
	return list
}

// local are the paths that a text may mean: it is one, or a URI of a file, which another host may serve. Another URI is
// not a file, but for a tool that takes paths.
func (c *Call) local(text string) (list []string) {
	scheme, rest, _ := strings.Cut(text, ":")
	if !strings.EqualFold(scheme, "file") || !strings.HasPrefix(rest, "/") {
		if strings.HasPrefix(rest, "//") && (c.MCP() || !c.Writes()) {
			return nil
		}
		return []string{text}
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = plain
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		from := strings.IndexByte(after+"/", '/')
		if from > 0 && !strings.EqualFold(after[:from], "localhost") {
			list = append(list, rest)
		}
		rest = after[from:]
	}
	return append(list, drive().ReplaceAllString(rest, "$1"))
}

// drive begins the path of a URI on Windows.
var drive = input.Lazily(`^/+([A-Za-z]:)`)

// absolute reports whether a path is absolute on any system.
func absolute(p string) bool {
	return path.IsAbs(p) || strings.HasPrefix(p, `\`) || (len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/'))
}

// A patch may be the argument of a tool with another name. Only these keys are looked at, since a file may contain such a text.
const patchBegin = "*** Begin Patch"

var patchKeys = []string{"", "input", "patch", "command"}

// patchLines begin the lines of a patch that name a file.
var patchLines = []struct {
	begin   string
	deleted bool
}{{"*** add file:", false}, {"*** update file:", false}, {"*** delete file:", true}, {"*** move to:", false}}

// Patch lists the files of a patch for apply_patch. It finds the line of a file also where the program, which trims lines, would
// find one and a strict reader would not. The file that a rename leaves is listed as written: that it is deleted is no milder.
func Patch(text string) (list []Touch) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		for _, p := range patchLines {
			if len(line) < len(p.begin) || !strings.EqualFold(line[:len(p.begin)], p.begin) {
				continue
			}
			written := strings.TrimPrefix(line[len(p.begin):], " ") // a strict reader keeps a second space
			name := strings.TrimSpace(written)
			if name != "" {
				list = append(list, Touch{Path: name, Deleted: p.deleted})
			}
			if name != written {
				list = append(list, Touch{Path: written, Deleted: p.deleted})
			}
		}
	}
	return list
}
