// Package glob compiles the path patterns of a contract.
package glob

// Pattern is a valid glob. The zero value matches nothing.
type Pattern struct{}
