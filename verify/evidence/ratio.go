package evidence

import (
	"strconv"
	"strings"
)

// ratioDigits is how many decimals a Ratio holds.
const ratioDigits = 18

var ratioSyntax = lazily(`^([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]{1,3}))?$`)

// parseRatio reads a number from 0 to 1 without going through a float. Decimals after the eighteenth are cut off, and
// an exponent is accepted up to 30 in either direction. It returns false for everything else, also for -0.
func parseRatio(n *node) (Ratio, bool) {
	if n.kind != kindNumber {
		return 0, false
	}
	part := ratioSyntax().FindStringSubmatch(n.text)
	if part == nil {
		return 0, false
	}
	exponent, _ := strconv.Atoi(part[3]) // absent is 0
	if exponent < -30 || exponent > 30 {
		return 0, false
	}
	return ratioOf(part[1]+part[2], len(part[1])+exponent)
}

// ratioOf returns the value of 0.DIGITS moved point places to the left of where it is written: the digits before point
// are whole.
func ratioOf(digits string, point int) (Ratio, bool) {
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, rest := strings.TrimLeft(digits[:point], "0"), digits[point:]
	switch {
	case whole == "":
		rest = (rest + strings.Repeat("0", ratioDigits))[:ratioDigits]
		r, err := strconv.ParseInt(rest, 10, 64)
		return Ratio(r), err == nil
	case whole == "1" && strings.Trim(rest, "0") == "":
		return Whole, true
	}
	return 0, false
}

// MarshalJSON writes the ratio as a number with at most eighteen decimals, which parseRatio reads again.
func (r Ratio) MarshalJSON() ([]byte, error) {
	if r == Whole {
		return []byte("1"), nil
	}
	digits := strconv.FormatInt(int64(r), 10)
	digits = strings.TrimRight(strings.Repeat("0", ratioDigits-len(digits))+digits, "0")
	if digits == "" {
		return []byte("0"), nil
	}
	return []byte("0." + digits), nil
}
