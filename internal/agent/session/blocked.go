package session

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// maxBlocked is how much of a blocked.md is read.
const maxBlocked = 16 << 10

// Blocked is why an agent says that an item cannot be done; "" when it does not. Everything in the work tree may have been put
// there by the change: only a regular file counts, and no link leads out of the work tree.
func Blocked(root, id string) (string, error) {
	tree, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer tree.Close() // it is only read
	name := filepath.FromSlash(item.BlockedFile)
	if info, err := tree.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return "", nil // none, or none that says anything
	}
	f, err := tree.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", nil
	}
	defer f.Close() // it is only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New(item.BlockedFile+" was replaced while it was read"))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBlocked))
	if err != nil {
		return "", err
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	if strings.TrimSpace(first) != id {
		return "", nil // it is about another item
	}
	if why := item.Text(strings.Join(strings.Fields(rest), " ")); why != "" {
		return why, nil
	}
	return item.BlockedFile + " gives no reason", nil
}
