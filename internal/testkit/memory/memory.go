// Package memory keeps the temporary directories of a test in memory: the test imports it. Tests of repositories make and remove some
// hundred thousand small files, which costs twice the time on a disk.
package memory
