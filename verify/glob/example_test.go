package glob_test

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/glob"
)

func ExampleCompile() {
	var patterns []glob.Pattern
	for _, text := range []string{"src/**", "*.md"} {
		p, err := glob.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		patterns = append(patterns, p)
	}
	set := glob.Compile(patterns)
	for _, path := range []string{"src/a/b.go", "src", "README.md", "docs/a.md"} {
		fmt.Println(path, set.Match(path))
	}
	// Output:
	// src/a/b.go true
	// src false
	// README.md true
	// docs/a.md false
}
