package session

// Unwritable is what an error of the state folder becomes.
func Unwritable(s *Store, err error) error { return s.unwritable(err) }
