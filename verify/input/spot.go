package input

import (
	"slices"
	"strconv"
	"strings"
)

// Spot is a line of a source file that a text names, as in a failure of a test.
type Spot struct {
	File string // as the text writes it
	Line int
}

// MaxSpots is how many spots of one text are found.
const MaxSpots = 20

var spotForm = Lazily(`(?:^|[\s("'\x60\[/])((?:[A-Za-z]:)?[\w./\\@+~-]*[\w+-]\.([A-Za-z]\w{0,9}))(?:[:(]|"?,? line )(\d{1,7})\b`)

// sourceExtensions tell a file of code from a host with a port, and from a version.
var sourceExtensions = strings.Fields("bats c cc clj cljs cpp cs cts cxx dart erl ex exs feature fs go groovy h hpp java jl js " +
	"jsx kt kts lua m mjs mm mts nim php pl py pyi r rb rs scala sh swift t ts tsx vb vue svelte zig cjs")

// others are parts of paths of code that is not of the repository.
var others = []string{"node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv", ".cargo", ".rustup", "rustc", "gems"}

// Spots lists the lines of source files that a text names, without those of code that others wrote.
func Spots(text string) []Spot {
	var list []Spot
	for _, m := range spotForm().FindAllStringSubmatch(text, MaxSpots*2) {
		line, err := strconv.Atoi(m[3])
		if err != nil || line == 0 || !slices.Contains(sourceExtensions, strings.ToLower(m[2])) {
			continue
		}
		s := Spot{strings.ReplaceAll(m[1], `\`, "/"), line}
		isOther := func(part string) bool { return slices.Contains(others, part) }
		if slices.ContainsFunc(strings.Split(s.File, "/"), isOther) || slices.Contains(list, s) || len(list) == MaxSpots {
			continue
		}
		list = append(list, s)
	}
	return list
}
