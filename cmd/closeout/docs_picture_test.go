package main

import (
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPicture compares the picture of the README with the job summary of the example, from which it is made.
func TestPicture(t *testing.T) {
	text, _ := printed(t, "verify", filepath.Join(repository, "testdata/example"), "--format", "markdown", "--report", filepath.Join(t.TempDir(), "report.json"))
	shown, _, found := strings.Cut(text, "\n<details>")
	if !found {
		t.Fatal("the summary folds nothing")
	}
	compare(t, "docs/pictures/summary.svg", picture(address.ReplaceAllString(shown, "$1")))
}

// Sizes of the picture, in pixels.
const (
	pictureWidth  = 900
	pictureMargin = 24
	letter        = 7.7 // an average letter of the text
)

// canvas is a picture that grows downwards.
type canvas struct {
	b strings.Builder
	y int
}

// picture draws Markdown as GitHub shows it, as far as a summary uses it.
func picture(markdown string) string {
	c := &canvas{y: pictureMargin}
	lines := strings.Split(strings.TrimSpace(markdown), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "<br>")
		switch indented := strings.TrimLeft(line, " "); {
		case strings.HasPrefix(line, "|"):
			var rows []string
			for ; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
				rows = append(rows, lines[i])
			}
			i--
			c.table(rows)
		case strings.Contains(line, "<details>"):
			_, title, _ := strings.Cut(line, "<summary>")
			c.text("▸ "+strings.TrimSuffix(title, "</summary>"), pictureMargin+16+12*(len(line)-len(indented)), 14, "")
			for i+1 < len(lines) && !strings.Contains(lines[i], "</details>") {
				i++
			}
		case strings.HasPrefix(line, "### "):
			c.y += 14
			c.text(line[4:], pictureMargin, 17, `font-weight="600"`)
		case strings.HasPrefix(line, "## "):
			c.text(line[3:], pictureMargin, 22, `font-weight="600"`)
			fmt.Fprintf(&c.b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#d1d9e0"/>`+"\n", pictureMargin, c.y-4, pictureWidth-pictureMargin, c.y-4)
			c.y += 8
		case strings.HasPrefix(indented, "- "):
			x := pictureMargin + 16 + 12*(len(line)-len(indented))
			fmt.Fprintf(&c.b, `<circle cx="%d" cy="%d" r="2.5" fill="#1f2328"/>`+"\n", x-10, c.y+9)
			c.text(indented[2:], x, 14, "")
		case line == "":
			c.y += 6
		default:
			c.text(line, pictureMargin, 14, "")
		}
	}
	height := c.y + pictureMargin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" fill="#1f2328">
<rect width="%d" height="%d" rx="6" fill="#ffffff" stroke="#d1d9e0"/>
%s</svg>
`, pictureWidth, height, pictureWidth, height, pictureWidth, height, c.b.String())
}

// text draws a text, wrapped.
func (c *canvas) text(text string, x, size int, style string) {
	most := int(float64(pictureWidth-pictureMargin-x) / letter * 14 / float64(size))
	for _, line := range wrapWords(text, most) {
		c.y += size + 2
		fmt.Fprintf(&c.b, `<text x="%d" y="%d" font-size="%d" xml:space="preserve" %s>%s</text>`+"\n", x, c.y-2, size, style, spans(line))
		c.y += size / 3
	}
}

// table draws rows of cells; the second row of a table in Markdown is a line.
func (c *canvas) table(rows []string) {
	var cells [][]string
	for i, row := range rows {
		if i != 1 {
			cells = append(cells, strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "| "), " |"), " | "))
		}
	}
	columns := make([]int, len(cells[0]))
	total := 0
	for i := range columns {
		for _, row := range cells {
			columns[i] = max(columns[i], len([]rune(visible(row[i])))+3)
		}
		total += columns[i]
	}
	unit := float64(pictureWidth-2*pictureMargin) / float64(total)
	size := min(13, int(unit*13/letter*1.05))
	for i, row := range cells {
		x, style := float64(pictureMargin), ""
		if i == 0 {
			style = `font-weight="600"`
		}
		for j, cell := range row {
			fmt.Fprintf(&c.b, `<text x="%.0f" y="%d" font-size="%d" xml:space="preserve" %s>%s</text>`+"\n", x+4, c.y+16, size, style, spans(cell))
			x += float64(columns[j]) * unit
		}
		fmt.Fprintf(&c.b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#d1d9e0"/>`+"\n", pictureMargin, c.y+24, pictureWidth-pictureMargin, c.y+24)
		c.y += 26
	}
}

var (
	address = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
	mark    = regexp.MustCompile("\\*\\*|`")
	bold    = regexp.MustCompile(`\*\*(.+?)\*\*`)
	source  = regexp.MustCompile("`([^`]+)`")
)

func visible(text string) string { return mark.ReplaceAllString(text, "") }

// spans is a line with its bold words and its code.
func spans(text string) string {
	text = html.EscapeString(text)
	text = source.ReplaceAllStringFunc(text, func(code string) string {
		code = strings.ReplaceAll(strings.Trim(code, "`"), "*", "&#42;") // not bold
		return `<tspan font-family="ui-monospace, Menlo, Consolas, monospace" font-size="90%" fill="#0a3069">` + code + `</tspan>`
	})
	text = bold.ReplaceAllString(text, `<tspan font-weight="600">$1</tspan>`)
	text = strings.ReplaceAll(text, "❌", `<tspan fill="#d1242f">✗</tspan>`)
	return mark.ReplaceAllString(text, "")
}

// wrapWords breaks a text into lines of at most so many visible letters, without breaking code.
func wrapWords(text string, most int) (lines []string) {
	line := ""
	for _, word := range strings.Split(text, " ") {
		if line != "" && len([]rune(visible(line+" "+word))) > most && strings.Count(line, "`")%2 == 0 {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
