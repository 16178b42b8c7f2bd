package input

import (
	"strconv"
	"strings"
)

// Ratio is a share between 0 and 1 in units of 10⁻¹⁸, so that every decimal a tool prints is held exactly and compared
// without rounding.
type Ratio int64

// Whole is the ratio 1.
const Whole Ratio = 1_000_000_000_000_000_000

// BasisPoints rounds r down to ten-thousandths, the unit of the report.
func (r Ratio) BasisPoints() int64 { return int64(r / (Whole / 10_000)) }

// ratioDigits is how many decimals a Ratio has.
const ratioDigits = 18

var ratioSyntax = Lazily(`^([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]{1,3}))?$`)

// ParseRatio reads a number from 0 to 1 without going through a float. Decimals after the eighteenth are cut off, and
// an exponent is accepted up to 30 in either direction. It returns false for everything else, also for -0.
func ParseRatio(n *Node) (Ratio, bool) {
	if n.Kind != KindNumber {
		return 0, false
	}
	part := ratioSyntax().FindStringSubmatch(n.Text)
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
