package input

import (
	"testing"
	"time"
)

func TestDayNumber(t *testing.T) {
	day := time.Date(1999, 12, 28, 0, 0, 0, 0, time.UTC)
	first := DayNumber(day.Format(time.DateOnly))
	for i := range 150_000 {
		if text := day.AddDate(0, 0, i).Format(time.DateOnly); DayNumber(text) != first+i || !CalendarDay(text) {
			t.Fatalf("%s is the day %d, expected %d", text, DayNumber(text)-first, i)
		}
	}
}
