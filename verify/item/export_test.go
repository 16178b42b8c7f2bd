package item

// ReadFast is the part of [ReadEvent] that does without encoding/json.
func ReadFast(line string, e *Event) bool {
	*e = Event{}
	return readEvent(line, e)
}
