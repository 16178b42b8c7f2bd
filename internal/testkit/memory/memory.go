// Package memory keeps the temporary directories of tests in memory. Tests of repositories make and remove some hundred thousand small
// files, which costs twice the time on a disk.
package memory
