package record

import (
	"encoding/binary"
	"syscall"
)

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
