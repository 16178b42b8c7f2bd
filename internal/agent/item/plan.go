package item

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// Marshal writes a plan: JSON with a line for each item.
func (p *Plan) Marshal() ([]byte, error) {
	head := *p
	head.Items = []Item{}
	data, err := json.Marshal(&head)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(bytes.TrimSuffix(data, []byte("]}")))
	for i := range p.Items {
		line, err := json.Marshal(&p.Items[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// ReadPlan reads a plan, and checks what the commands rely on.
func ReadPlan(data []byte) (*Plan, error) {
	p, err := readLines(string(data))
	if err != nil {
		return nil, err
	}
	if p.Schema != PlanSchema {
		return nil, fmt.Errorf("its schema is %q, expected %q", p.Schema, PlanSchema)
	}
	if p.Base == "" || (p.Guard != GuardAll && p.Guard != GuardNone) {
		return nil, fmt.Errorf("it names no base or guard that scan could have written")
	}
	seen := make(map[string]bool, len(p.Items))
	for i := range p.Items {
		it := &p.Items[i]
		if !contract.ValidTaskID(it.ID) || len(it.ContractSHA256) != 64 || it.MaxAttempts < 1 || len(it.Values) != len(p.Columns) {
			return nil, fmt.Errorf("item %d (%q) is none that scan could have written", i+1, it.ID)
		}
		if key := strings.ToLower(it.ID); !seen[key] {
			seen[key] = true
			continue
		}
		return nil, fmt.Errorf("item %d has the id %q of another one", i+1, it.ID)
	}
	return p, nil
}

// fenceOfOld is a key that older versions wrote, and that nothing reads any more.
var fenceOfOld = input.Lazily(`^(\{.*"guard":"[a-z]+",(?:"checkout":true,)?)"fence":"(?:none|sandbox|user)",`)

// readLines reads what [Plan.Marshal] writes.
func readLines(text string) (*Plan, error) {
	head, lines, _ := strings.Cut(text, `"items":[`+"\n")
	head = fenceOfOld().ReplaceAllString(head, "$1")
	p := &Plan{}
	if err := unmarshal([]byte(head+`"items":[]}`), p); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	p.Items = make([]Item, 0, strings.Count(lines, "\n"))
	for line, more := "", true; more; {
		line, lines, _ = strings.Cut(lines, "\n")
		if line, more = strings.CutSuffix(line, ","); len(p.Items) == 0 && line == "]}" {
			return p, nil // without items
		}
		var it Item
		if !readItem(line, &it) {
			it = Item{}
			if err := unmarshal([]byte(line), &it); err != nil {
				return nil, fmt.Errorf("line %d: %w", len(p.Items)+2, err)
			}
		}
		p.Items = append(p.Items, it)
	}
	if lines != "]}\n" {
		return nil, fmt.Errorf("line %d: expected the end of the items", len(p.Items)+2)
	}
	return p, nil
}

// Worth says how much a PASS of this machine is worth.
func (p *Plan) Worth(e *Event) string {
	text := "proven on this machine; the gate in CI decides\n"
	switch {
	case p.Guard == GuardNone:
		text += "the items that passed before were not proven again (guard: none)\n"
	case len(e.Unguarded) > 0:
		text += "not proven again, because they passed elsewhere: " + strings.Join(e.Unguarded, ", ") + "\n"
	}
	return text
}
