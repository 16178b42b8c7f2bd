package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// onTerminal is a program for scripts: it runs a command with a terminal of some width as its standard streams, prints what
// appears there, and ends like the command: exec on-terminal COLUMNS CMD ARG... Unlike ttyin of testscript, it reads to the end.
func onTerminal() {
	status, err := runOnTerminal(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 111
	}
	os.Exit(status)
}

func runOnTerminal(columns string, command []string) (status int, err error) {
	width, err := strconv.ParseUint(columns, 10, 16)
	if err != nil {
		return 0, err
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return 0, err
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err := errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)); err != nil {
		return 0, err
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)}); err != nil {
		return 0, err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	if err := errors.Join(c.Start(), slave.Close()); err != nil {
		return 0, err
	}
	_, _ = io.Copy(os.Stdout, master) // it ends with EIO when no process has the terminal any more
	var exited *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exited) {
		return 0, err
	}
	return c.ProcessState.ExitCode(), nil
}
