// Package browser opens the pages of closeout in Chromium and checks what only a browser knows: what is loaded, what can be seen, what
// fits. It is a module of its own, so that nothing else needs its dependencies. Without Chromium it says so and checks nothing.
package browser

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed checks.js
var checks string

// screenshots is the environment variable that names a directory for pictures of all pages.
const screenshots = "CLOSEOUT_SCREENSHOTS"

var (
	chromium context.Context // the browser
	pages    string          // the directory of the pages
)

func TestMain(m *testing.M) {
	flag.Parse()
	program := find()
	if program == "" {
		fmt.Println("testdata/browser: SKIPPED, because there is no chromium in PATH: no page was opened")
		return
	}
	os.Exit(start(m, program))
}

func find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

func start(m *testing.M, program string) int {
	dir, err := os.MkdirTemp("", "closeout-pages")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	pages = dir
	write := exec.Command("go", "test", "-count=1", "-run", "^TestPages$", "./internal/present", "./internal/audit/pages", "-pages", dir)
	write.Dir = filepath.Join("..", "..")
	if out, err := write.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("writing the pages: %v\n%s", err, out))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("force-color-profile", "srgb"))
	if os.Getuid() == 0 || os.Getenv("CI") == "true" {
		options = append(options, chromedp.NoSandbox) // Chromium refuses a sandbox for root, and some runners refuse it to Chromium
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	var stop context.CancelFunc
	chromium, stop = chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Run(chromium); err != nil {
		panic(fmt.Sprintf("starting %s: %v", program, err))
	}
	return m.Run()
}

// seen is what a page did.
type seen struct {
	mu       sync.Mutex
	requests []string
	messages []string // of the console, the log, exceptions and issues, such as a violation of the policy
}

func (s *seen) on(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, e.Request.URL)
	case *log.EventEntryAdded:
		s.messages = append(s.messages, "log: "+e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		s.messages = append(s.messages, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		s.messages = append(s.messages, "exception: "+e.ExceptionDetails.Text)
	case *audits.EventIssueAdded:
		s.messages = append(s.messages, "issue: "+string(e.Issue.Code))
	case *page.EventJavascriptDialogOpening:
		s.messages = append(s.messages, "dialog: "+e.Message)
	}
}

// scheme is how a page is shown.
type scheme struct {
	name  string
	media string
	width int64
	set   []*emulation.MediaFeature
}

func feature(name, value string) *emulation.MediaFeature {
	return &emulation.MediaFeature{Name: name, Value: value}
}

var (
	light   = scheme{"light", "", 1280, []*emulation.MediaFeature{feature("prefers-color-scheme", "light")}}
	dark    = scheme{"dark", "", 1280, []*emulation.MediaFeature{feature("prefers-color-scheme", "dark")}}
	forced  = scheme{"forced", "", 1280, []*emulation.MediaFeature{feature("forced-colors", "active"), feature("prefers-color-scheme", "dark")}}
	still   = scheme{"still", "", 1280, []*emulation.MediaFeature{feature("prefers-reduced-motion", "reduce")}}
	printed = scheme{"print", "print", 800, []*emulation.MediaFeature{feature("prefers-color-scheme", "light")}}
)

// open opens a file in a new tab.
func open(t *testing.T, file string, as scheme) (context.Context, *seen) {
	t.Helper()
	tab, end := chromedp.NewContext(chromium)
	t.Cleanup(end)
	s := &seen{}
	chromedp.ListenTarget(tab, s.on)
	if err := chromedp.Run(tab, network.Enable(), log.Enable(), runtime.Enable(), audits.Enable()); err != nil {
		t.Fatal(err)
	}
	show(t, tab, as)
	if err := chromedp.Run(tab, chromedp.Navigate("file://"+file), chromedp.Evaluate(checks, nil)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return tab, s
}

// show changes how a tab is shown.
func show(t *testing.T, tab context.Context, as scheme) {
	t.Helper()
	err := chromedp.Run(tab, emulation.SetEmulatedMedia().WithMedia(as.media).WithFeatures(as.set), emulation.SetDeviceMetricsOverride(as.width, 900, 1, false))
	if err != nil {
		t.Fatal(err)
	}
}

// wrong calls a function of checks.js, which lists what is wrong.
func wrong(t *testing.T, tab context.Context, call string) []string {
	t.Helper()
	var list []string
	if err := chromedp.Run(tab, chromedp.Evaluate(call, &list)); err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	return list
}

// files are all pages.
func files(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(pages, "*.html"))
	if err != nil || len(list) < 10 {
		t.Fatal("pages are missing:", list, err)
	}
	return list
}

// broken writes a page with a text replaced.
func broken(t *testing.T, old, with string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(pages, "failed.realistic.html"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), old, with, 1)
	if text == string(data) {
		t.Fatalf("%q is not in the page", old)
	}
	file := filepath.Join(t.TempDir(), "broken.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestLoadingIsSeen loads and runs what the policy forbids: it is refused, and the test sees it.
func TestLoadingIsSeen(t *testing.T) {
	for name, with := range map[string]string{
		"picture": `<img src="http://127.0.0.1:1/x.png" alt=""><h2 `, "script": `<script>document.title = "ran"</script><h2 `, "style": `<p style="color: red">x</p><h2 `,
		"sheet": `<style>p { color: red }</style><h2 `, "handler": `<img src="data:," onerror="document.title = 'ran'" alt=""><h2 `,
	} {
		tab, s := open(t, broken(t, "<h2 ", with), light)
		if len(s.messages) == 0 {
			t.Errorf("%s: nothing is said", name)
		}
		var title string
		if err := chromedp.Run(tab, chromedp.Title(&title)); err != nil || title == "ran" {
			t.Errorf("%s: the title is %q, %v", name, title, err)
		}
	}
}

// TestPages shows each page in each way, and checks it. All the time, it asks for itself alone, and neither scripts nor the policy say a
// word.
func TestPages(t *testing.T) {
	narrow, zoomed := light, light // zoomed is a screen of 1280 at 200 %
	narrow.name, narrow.width, zoomed.name, zoomed.width = "narrow", 320, "zoomed", 640
	for _, file := range files(t) {
		tab, s := open(t, file, printed)
		for _, c := range []struct {
			as    scheme
			calls []string
		}{
			{printed, []string{"unfolded()", "blackOnWhite()", "wide()", "contrast()", "shapes()"}}, // first, while all is folded
			{light, []string{"wide()", "contrast()", "shapes()", "clipped()", "targets()", "focus()", "separate()"}},
			{dark, []string{"contrast()", "shapes()"}},
			{forced, []string{"contrast()", "shapes()"}},
			{still, []string{"motion()"}},
			{narrow, []string{"wide()", "clipped()", "targets()"}},
			{zoomed, []string{"wide()", "clipped()", "targets()"}},
		} {
			show(t, tab, c.as)
			for _, call := range c.calls {
				for _, w := range wrong(t, tab, call) {
					t.Errorf("%s, %s, %s: %s", filepath.Base(file), c.as.name, call, w)
				}
			}
		}
		if len(s.requests) != 1 || len(s.messages) != 0 {
			t.Errorf("%s: requests %q, messages %q", filepath.Base(file), s.requests, s.messages)
		}
		if err := chromedp.Cancel(tab); err != nil {
			t.Fatal(err)
		}
	}
}

// TestChecksSee breaks a page in the way that each check is about.
func TestChecksSee(t *testing.T) {
	for _, c := range []struct {
		call, rule, file string
		as               scheme
	}{
		{"contrast()", ".why { color: #999 }", "failed.realistic", light}, {"contrast()", ".why { color: #333 }", "failed.realistic", dark},
		{"contrast()", ".tick { fill: #aaa }", "audit.year", light}, {"contrast()", ".kicker { opacity: .4 }", "failed.realistic", light},
		{"shapes()", "rect.k-passed { fill: #cde }", "audit.year", light}, {"shapes()", ".gap-line { stroke: #ddd } rect.k-gap { stroke: #ddd }", "audit.year", light},
		{"clipped()", ".why { height: 1em; overflow: hidden }", "failed.realistic", light},
		{"wide()", ".why { white-space: nowrap; max-width: none; width: 90rem }", "failed.realistic", light},
		{"targets()", "summary { line-height: 1; padding: 0; font-size: 12px }", "failed.realistic", light},
		{"focus()", "*:focus-visible { outline: none }", "failed.realistic", light}, {"focus()", ".skip:focus { top: -5rem }", "failed.realistic", light},
		{"motion()", "html { scroll-behavior: smooth }", "failed.realistic", still},
		{"separate()", "rect.k-passed { y: 0px }", "audit.year", light},
		{"unfolded()", "details::details-content { content-visibility: hidden }", "failed.realistic", printed},
		{"blackOnWhite()", ".why { color: #b00 }", "failed.realistic", printed}, {"blackOnWhite()", "section { background: #eee }", "failed.realistic", printed},
	} {
		tab, _ := open(t, filepath.Join(pages, c.file+".html"), c.as)
		if before := wrong(t, tab, c.call); len(before) > 0 {
			t.Errorf("%s: %q before anything was broken", c.call, before)
		}
		for _, rule := range strings.SplitAfter(c.rule, "}") {
			if strings.TrimSpace(rule) == "" {
				continue
			}
			if err := chromedp.Run(tab, chromedp.Evaluate(fmt.Sprintf("spoil(%q)", rule), nil)); err != nil {
				t.Fatal(err)
			}
		}
		if len(wrong(t, tab, c.call)) == 0 {
			t.Errorf("%s does not see %q", c.call, c.rule)
		}
	}
}

// TestScreenshots writes a picture of pages in three widths and two schemes, and printed, to look at.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv(screenshots)
	if dir == "" {
		t.Skip("pictures are written when " + screenshots + " names a directory")
	}
	for _, name := range []string{"failed.realistic", "passed.plain", "overridden.realistic", "failed.group", "failed.hostile", "audit.year", "audit.long"} {
		var all []scheme
		for _, as := range []scheme{light, dark} {
			for _, width := range []int64{320, 768, 1280} {
				as.width = width
				all = append(all, as)
			}
		}
		for _, as := range append(all, printed, forced) {
			tab, _ := open(t, filepath.Join(pages, name+".html"), as)
			var picture []byte
			if err := chromedp.Run(tab, chromedp.FullScreenshot(&picture, 100)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, fmt.Sprintf("%s.%s.%d.png", name, as.name, as.width))
			if err := os.WriteFile(file, picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
