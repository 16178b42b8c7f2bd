package session

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// The locks of a state folder. A process holds LockEvents only while it appends, and LockSubmit while it judges.
const (
	LockEvents = "events.lock"
	LockSubmit = "submit.lock"
)

// ErrLocked says that another process holds a lock.
var ErrLocked = errors.New("another closeout works with this state folder")

// poll is how often a lock that another process holds is tried again.
const poll = 20 * time.Millisecond

// Lock takes a lock of the state folder, and waits for it up to the given time. The lock ends with the process, however that
// ends: the file stays, and means nothing.
func (s *Store) Lock(name string, wait time.Duration) (unlock func() error, err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, s.unwritable(err)
	}
	f, err := os.OpenFile(s.Path(name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, s.unwritable(err)
	}
	for end := time.Now().Add(wait); ; time.Sleep(poll) {
		err = tryLock(f)
		if !errors.Is(err, ErrLocked) || !time.Now().Before(end) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.Path(name), err), f.Close())
	}
	return f.Close, nil
}

// unwritable says what a sandboxed agent sees.
func (s *Store) unwritable(err error) error {
	if errors.Is(err, os.ErrPermission) || isReadOnly(err) {
		return fmt.Errorf("the state folder %q is not writable from here: let the loop submit, or name another folder with --state", s.Dir)
	}
	return err
}
