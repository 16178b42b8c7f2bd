package input

import (
	"strconv"
)

var dateSyntax = Lazily(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)

// CalendarDay reports whether s is YYYY-MM-DD and such a day exists.
func CalendarDay(s string) bool {
	if !dateSyntax().MatchString(s) {
		return false
	}
	year, _ := strconv.Atoi(s[:4]) // the syntax has only digits here
	day, _ := strconv.Atoi(s[8:])
	switch s[5:7] {
	case "04", "06", "09", "11":
		return day <= 30
	case "02":
		leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
		return day <= 28 || (leap && day == 29)
	}
	return true
}

// DayNumber counts the days up to a calendar day, so that two of them can be subtracted.
func DayNumber(day string) int {
	year, _ := strconv.Atoi(day[:4])
	month, _ := strconv.Atoi(day[5:7])
	n, _ := strconv.Atoi(day[8:])
	if month < 3 { // a leap day is then the last one of its year
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*month-457)/5 + n
}
