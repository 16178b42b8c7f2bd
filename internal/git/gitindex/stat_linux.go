package gitindex

import (
	"encoding/binary"
	"slices"
	"syscall"
)

// stamping are the file systems that change the times of an inode with every edit, by their numbers of statfs(2): ext2 to
// ext4, XFS, Btrfs and F2FS. Tmpfs does not when a program writes through a mapping that it read before, and of a network, an
// overlay or a program that is a file system we cannot know.
var stamping = []uint32{0xef53, 0x58465342, 0x9123683e, 0xf2f52010}

// StampsEdits reports whether no file of a directory can be edited without a trace in the numbers of its inode.
func StampsEdits(dir string) bool {
	var st syscall.Statfs_t
	return syscall.Statfs(dir, &st) == nil && slices.Contains(stamping, uint32(st.Type))
}

// statNumbers are the numbers that an index of git has for a file, and when the inode last changed, in nanoseconds.
func statNumbers(path string) (numbers [statBytes]byte, changed int64, ok bool) {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return numbers, 0, false
	}
	for i, n := range []uint32{
		uint32(st.Ctim.Sec), uint32(st.Ctim.Nsec), uint32(st.Mtim.Sec), uint32(st.Mtim.Nsec), uint32(st.Dev), uint32(st.Ino),
		0, 0, 0, // mode, user and group: git compares them as well
		uint32(st.Size),
	} {
		binary.BigEndian.PutUint32(numbers[4*i:], n)
	}
	return numbers, st.Ctim.Nano(), true
}
