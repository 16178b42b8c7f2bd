package loop

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

func TestCost(t *testing.T) {
	const claude = `{"type":"result","subtype":"success","total_cost_usd":0.1234567,"usage":{"output_tokens":7}}`
	for _, c := range []struct {
		costs, prices, out string
		want               int64 // -1 when it cannot be read
	}{
		{"json:/total_cost_usd", "", claude + "\n", 123457},
		{"json:/total_cost_usd", "", "Warning: {x\n[1\n" + claude, 123457},
		{"json:/total_cost_usd", "", `{"total_cost_usd":9}` + "\n" + claude, 123457},
		{"json:/total_cost_usd", "", "{\n \"total_cost_usd\": 2,\n \"list\": [\n  {\"a\": 1}\n ]\n}\n", 2000000},
		{"json:/total_cost_usd", "", `{"total_cost_usd":0}`, 0},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1e-7}`, 1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1e6}`, 1e12},
		{"json:/a-b/c", "", `{"a-b":{"c":1.5}}`, 1500000},
		{"json:/usage/output_tokens", "2.5", claude, 18}, // 17.5
		{"jsonl:/usage/out", "10", "{\"usage\":{\"out\":3}}\n\n{\"type\":\"x\"}\n{\"usage\":{\"out\":4}}\n", 70},
		{"jsonl:/u/in jsonl:/u/out", "1.25 10", "{\"u\":{\"in\":100,\"out\":3}}\n", 155},

		{"json:/total_cost_usd", "", "", -1},
		{"json:/total_cost_usd", "", claude + "\ndone\n", -1},
		{"json:/total_cost_usd", "", claude[:len(claude)-1], -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1,"total_cost_usd":2}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1,"a":1,"a":2}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":"1"}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":null}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":-1}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":-0}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1e7}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":1e999}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost_usd":NaN}`, -1},
		{"json:/total_cost_usd", "", `{"total_cost":1}`, -1},
		{"json:/a/01", "", `{"a":[0,1]}`, -1},
		{"jsonl:/n", "1", "{\"m\":1}\n", -1},
		{"jsonl:/n", "1", "{\"n\":1}\n{\"n\":", -1},
		{"jsonl:/n", "1", "{\"n\":1}\nhello\n", -1},
		{"jsonl:/n", "1", "{\"n\":1}\n{\"n\":\"1\"}\n", -1},
		{"jsonl:/n", "1", "{\"n\":1}\n{\"n\":1,\"n\":0}\n", -1},
		{"jsonl:/n jsonl:/m", "1 1", "{\"n\":1}\n", -1},
	} {
		list, err := ParseCosts(strings.Fields(c.costs), strings.Fields(c.prices))
		if err != nil {
			t.Fatal(err)
		}
		got, err := sumCosts(list, []byte(c.out), false)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s of %q: %d, %v, want %d", c.costs, c.out, got, err, c.want)
		}
	}
	list, _ := ParseCosts([]string{"jsonl:/n"}, []string{"1"})
	if _, err := sumCosts(list, []byte("{\"n\":1}\n"), true); err == nil {
		t.Error("lines whose start was cut have a cost")
	}
}

func TestParseCosts(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"json", ""}, {"json:", ""}, {"json:total", ""}, {"json:/a~1", ""}, {"json:/a/", ""}, {"xml:/a", ""}, {"json:/a", "x"}, {"json:/a", "-1"},
		{"json:/a", "1 2"}, {"json:/a", "1e999"}, {"json:/a", "1/2"}, {"json:/a", "0x1"}, {"json:/a", ".5"},
	} {
		if _, err := ParseCosts([]string{c[0]}, strings.Fields(c[1])); err == nil {
			t.Errorf("%q is read", c)
		}
	}
	for text, want := range map[string]int64{"0": 0, "20": 20e6, "0.000001": 1, "0.0000001": 1, "1.25": 1250000, "1e3": 1e9} {
		if got, err := ParseDollars(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "$5", "1,5", "1e12", "NaN", "Inf", "1 "} {
		if got, err := ParseDollars(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for micro, want := range map[int64]string{0: "$0.00", 1: "$0.000001", 20e6: "$20.00", 19817000: "$19.817", 1500000: "$1.50"} {
		if got := Dollars(micro); got != want {
			t.Errorf("%d is %s", micro, got)
		}
	}
}

func FuzzCost(f *testing.F) {
	f.Add("json:/a/0", "1", []byte(`{"a":[1.5e3]}`))
	f.Add("jsonl:/n", "", []byte("{\"n\":2}\n{}\n"))
	f.Fuzz(func(t *testing.T, cost, price string, out []byte) {
		list, err := ParseCosts([]string{cost}, strings.Fields(price))
		if err != nil {
			return
		}
		if n, err := sumCosts(list, out, false); err == nil && (n < 0 || n > item.MostMoney) {
			t.Errorf("%q of %q is %d", cost, out, n)
		}
	})
}

// TestTail keeps the end of what is written, within the limit.
func TestTail(t *testing.T) {
	f, err := createTail(filepath.Join(t.TempDir(), "out"), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer f.file.Close()
	var all []byte
	for i := range 1000 {
		p := bytes.Repeat([]byte{byte('a' + i%26)}, i%40)
		all = append(all, p...)
		f.Write(p)
		got, err := f.read()
		if err != nil || !bytes.HasSuffix(all, got) || len(got) > 100 || f.cut != (len(got) < len(all)) || f.cut && len(got) < 50 {
			t.Fatalf("after %d bytes: %q, %v", len(all), got, err)
		}
		if info, err := os.Stat(f.file.Name()); err != nil || info.Size() != int64(len(got)) {
			t.Fatalf("the file: %v, %v", info, err)
		}
	}
	f.file.Close()
	if n, err := f.Write([]byte("x")); n != 1 || err != nil || f.err == nil {
		t.Errorf("a full disk: %d, %v, %v", n, err, f.err)
	}
}
