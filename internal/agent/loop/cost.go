package loop

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/input"
)

// Cost is where the cost of a try is found in the standard output of the command.
type Cost struct {
	pointer []string
	lines   bool     // each line is a JSON value; else the last JSON value counts
	price   *big.Rat // of a token, in millionths of a US dollar; nil when the number is one of dollars
}

// ParseCosts reads the values of --cost and --price-per-mtok, of which there is one for each cost of tokens.
func ParseCosts(costs, prices []string) (list []Cost, err error) {
	for _, text := range costs {
		form, pointer, _ := strings.Cut(text, ":")
		if (form != "json" && form != "jsonl") || !pointerForm().MatchString(pointer) {
			return nil, fmt.Errorf("--cost %q names no place: expected json:POINTER or jsonl:POINTER, such as json:/total_cost_usd", text)
		}
		list = append(list, Cost{lines: form == "jsonl", pointer: strings.Split(pointer[1:], "/")})
	}
	if len(prices) > 0 && len(prices) != len(costs) {
		return nil, fmt.Errorf("--price-per-mtok is given %d times and --cost %d times: give a price for each cost, or none", len(prices), len(costs))
	}
	for i, text := range prices {
		if list[i].price, err = decimal(text); err != nil {
			return nil, fmt.Errorf("--price-per-mtok %q is no price: %w", text, err)
		}
	}
	return list, nil
}

// pointerForm matches a JSON pointer through the members of objects.
var pointerForm = input.Lazily(`^(/[^~/]+)+$`)

// ParseDollars reads an amount of money, in millionths.
func ParseDollars(text string) (int64, error) {
	r, err := decimal(text)
	if err != nil {
		return 0, err
	}
	return millionths(r.Mul(r, big.NewRat(1e6, 1)))
}

// Dollars writes an amount of millionths exactly.
func Dollars(micro int64) string {
	text := fmt.Sprintf("%d.%06d", micro/1e6, micro%1e6)
	return "$" + text[:len(text)-4] + strings.TrimRight(text[len(text)-4:], "0")
}

// decimalForm is a number of JSON that is not negative.
var decimalForm = input.Lazily(`^(0|[1-9][0-9]{0,29})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$`)

// decimal reads a number exactly.
func decimal(text string) (*big.Rat, error) {
	if decimalForm().MatchString(text) {
		if r, ok := new(big.Rat).SetString(text); ok {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s is not a number from 0 on, such as 0.25", input.Quote(text))
}

// millionths rounds up to whole millionths of a dollar.
func millionths(r *big.Rat) (int64, error) {
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	n.Quo(n, r.Denom())
	if !n.IsInt64() || n.Int64() > item.MostMoney {
		return 0, errors.New("more than a million dollars")
	}
	return n.Int64(), nil
}

// sumCosts adds up the costs that a command printed. The start of the output may be cut.
func sumCosts(costs []Cost, output []byte, cut bool) (int64, error) {
	sum := new(big.Rat)
	for _, c := range costs {
		values, err := c.values(output, cut)
		if err != nil {
			return 0, err
		}
		found := false
		for _, v := range values {
			n := c.find(v)
			if n == nil && c.lines {
				continue // a line about something else
			}
			if n == nil || n.Kind != input.KindNumber {
				return 0, fmt.Errorf("there is no number at /%s", strings.Join(c.pointer, "/"))
			}
			r, err := decimal(n.Text)
			if err != nil {
				return 0, err
			}
			factor := c.price
			if factor == nil {
				factor = big.NewRat(1e6, 1)
			}
			sum.Add(sum, r.Mul(r, factor))
			found = true
		}
		if !found {
			return 0, fmt.Errorf("no line has /%s", strings.Join(c.pointer, "/"))
		}
	}
	return millionths(sum)
}

// values are the JSON values that count: all lines, or the last value.
func (c Cost) values(output []byte, cut bool) (list []*input.Node, err error) {
	if !c.lines {
		if n := lastValue(output); n != nil {
			return []*input.Node{n}, nil
		}
		return nil, errors.New("the output does not end with a JSON value, each key once")
	}
	if cut {
		return nil, errors.New("the output is too long to be read from its start")
	}
	for line := range bytes.Lines(output) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		n := parse(line)
		if n == nil {
			return nil, errors.New("a line is no JSON value, or has a key twice")
		}
		list = append(list, n)
	}
	return list, nil
}

// Limits of the search for the last value.
const (
	lastBytes = 4 << 20
	lastLines = 1000
)

// lastValue is the object or list that the output ends with, and that starts a line; nil when there is none.
func lastValue(output []byte) *input.Node {
	output = bytes.TrimSpace(output[max(0, len(output)-lastBytes):])
	at := len(output)
	for range lastLines {
		if at <= 0 {
			return nil
		}
		at = bytes.LastIndexByte(output[:at], '\n')
		if text := bytes.TrimSpace(output[at+1:]); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			if n := parse(text); n != nil {
				return n
			}
		}
	}
	return nil
}

// parse reads a JSON value; nil when it is none, or when an object has a key twice.
func parse(text []byte) *input.Node {
	var errs input.Errors
	n := input.ParseJSON(text, input.DefaultLimits(), &errs)
	if errs.Any() {
		return nil
	}
	return n
}

// find follows the pointer; nil when there is nothing.
func (c Cost) find(n *input.Node) *input.Node {
	for _, key := range c.pointer {
		n = n.Member(key)
	}
	return n
}
