package memory

import (
	"os"
	"syscall"
)

const (
	dir     = "/dev/shm"
	tmpfs   = 0x01021994 // TMPFS_MAGIC of statfs(2)
	noexec  = 0x8        // ST_NOEXEC of statvfs(3): tests start programs that they write
	minFree = 1 << 30    // bytes; a container has 64 MiB
)

// Use keeps the temporary directories of this process, and of those that it starts, in memory where there is room; TMPDIR wins. It
// also wastes memory: see [Waste].
func Use() {
	Waste()
	var stat syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(dir, &stat) != nil {
		return
	}
	if stat.Type == tmpfs && stat.Flags&noexec == 0 && stat.Bavail*uint64(stat.Bsize) >= minFree {
		os.Setenv("TMPDIR", dir)
	}
}
