package item

// ReadFast is the part of [ReadEvent] that does without encoding/json.
func ReadFast(line string, e *Event) bool {
	*e = Event{}
	return readEvent(line, e)
}

// Fold applies events in order, as [State.Add] does.
func Fold(p *Plan, events []Event, proof Proof) (*State, error) {
	s := NewState(p)
	for i := range events {
		if err := s.Add(&events[i], proof); err != nil {
			return nil, err
		}
	}
	return s, nil
}
