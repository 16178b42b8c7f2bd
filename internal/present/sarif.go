package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The identifiers of the format: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// standingContract is the location of a finding without a file when no contract was read.
	standingContract = ".closeout/scope_contract.json"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        map[string]sarifDriver `json:"tool"` // its driver
	Invocations []map[string]bool      `json:"invocations"`
	Results     []sarifResult          `json:"results"`
	Properties  map[string]string      `json:"properties"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	HelpURI          string    `json:"helpUri,omitempty"`
	Help             sarifText `json:"help"`
}

// sarifText is a text, and the same as Markdown, which GitHub prefers.
type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID              string                     `json:"ruleId"`
	RuleIndex           int                        `json:"ruleIndex"`
	Level               string                     `json:"level"`
	Message             sarifText                  `json:"message"`
	Locations           []map[string]sarifPhysical `json:"locations"` // each a physicalLocation
	PartialFingerprints map[string]string          `json:"partialFingerprints"`
	Suppressions        []sarifSuppression         `json:"suppressions,omitempty"`
}

// sarifPhysical has no column in its region: SARIF counts UTF-16 units or code points, ours are bytes, and a presenter
// does not have the text of the line to convert them.
type sarifPhysical struct {
	Artifact map[string]string `json:"artifactLocation"` // its uri
	Region   map[string]int    `json:"region,omitempty"` // its startLine
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

// sarifID is the SARIF rule of a finding: its diff rule, else its code.
func sarifID(f report.Finding) string { return cmp.Or(f.Rule, f.Code) }

// writeSARIF writes one run with a rule for each code or diff rule that occurs. An overridden finding stays a result, with an accepted
// suppression. executionSuccessful is true because the gate ran, whatever it found.
func writeSARIF(w io.Writer, r *report.Report, o Options) error {
	var codes []string // that occur
	for _, f := range r.Findings {
		codes = append(codes, sarifID(f))
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	run := sarifRun{
		Tool: map[string]sarifDriver{"driver": {Name: Neutral(r.Tool.Name), Version: Neutral(r.Tool.Version),
			InformationURI: page.Project, Rules: sarifRules(codes, o.Docs, r.Tool.Version)}},
		Invocations: []map[string]bool{{"executionSuccessful": true}},
		Results:     []sarifResult{},
		Properties:  map[string]string{"verdict": Neutral(r.Verdict), "mode": Neutral(r.Mode)},
	}
	for _, p := range r.PullRequests {
		run.Properties[fmt.Sprintf("pull_request_%d", p.Number)] = Neutral(p.Verdict)
	}
	for _, f := range r.Findings {
		run.Results = append(run.Results, sarifFinding(r, f, slices.Index(codes, sarifID(f))))
	}
	b, err := json.MarshalIndent(sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// docsPage is the address of the reference of a version. Its directory is the tag of the release.
func docsPage(version string) string {
	return page.Project + "/blob/v" + strings.ReplaceAll(percentEncode(version), "/", "%2F") + "/docs/reference/"
}

// RulePage is the address of what the reference of a version says about a code or diff rule; "" for what is neither, and for what
// is no version.
func RulePage(version, name string) string {
	if version == "" || len(version) > 64 || strings.Trim(version, plainWord) != "" {
		return ""
	}
	anchor := strings.NewReplacer(".", "", "/", "").Replace(name) // as GitHub names the heading
	switch {
	case isRule(name):
		return docsPage(version) + "rules.md#" + anchor
	case isCode(name):
		return docsPage(version) + "codes.md#" + anchor
	}
	return ""
}

// sarifRules describes codes and diff rules. Their help is what the reference of a version says about them.
func sarifRules(codes []string, docs func(string) string, version string) []sarifRule {
	rules := []sarifRule{}
	for _, code := range codes {
		help := ""
		if docs != nil {
			help = strings.TrimSpace(docs(code))
		}
		rule := sarifRule{ID: Line(code)}
		if help != "" {
			rule.HelpURI = RulePage(version, code)
			book, _, _ := strings.Cut(rule.HelpURI, "#")
			rule.Help.Markdown = absoluteLinks(help, docsPage(version), book)
		} else {
			help = "Run closeout explain " + Line(code) + " to read what this code means and how to fix it."
		}
		rule.ShortDescription, rule.FullDescription, rule.Help.Text = sarifText{Text: sarifTitle(code, help)}, sarifText{Text: help}, help
		rules = append(rules, rule)
	}
	return rules
}

// absoluteLinks lets the links of a page of the documentation work elsewhere.
func absoluteLinks(markdown, reference, book string) string {
	return strings.NewReplacer("](https://", "](https://", "](#", "]("+book+"#", "](", "]("+reference).Replace(markdown)
}

var (
	sectionSeverity = input.Lazily(`^\*\w+\*[^.]*\.\s+`)
	markdownLink    = input.Lazily(`\[([^]]*)\]\([^)]*\)`)
)

// sarifTitle is the title of a rule: what its help says first, after the severity and without markup.
func sarifTitle(code, help string) string {
	text := sectionSeverity().ReplaceAllString(help, "")
	flat := strings.Join(strings.Fields(strings.ReplaceAll(markdownLink().ReplaceAllString(text, "$1"), "`", "")), " ")
	title, _, _ := strings.Cut(flat, ". ")
	if at := strings.IndexAny(title, ":;"); at >= 0 {
		title = title[:at]
	}
	if title = strings.TrimSuffix(title, "."); title == "" || strings.HasPrefix(title, "One of these") {
		return strings.NewReplacer(".", ": ", "_", " ").Replace(Line(code))
	}
	return title
}

var sarifLevels = map[string]string{block: "error", unknown: "error", warn: "warning", info: "note"}

func sarifFinding(r *report.Report, f report.Finding, rule int) sarifResult {
	text := []string{sarifPlain(f.Message) + marks(f)}
	for _, part := range [][2]string{
		{"First error", firstError(f)}, {"Contract", clauseOf(f)}, {"Expected", f.Expected}, {"Actual", f.Actual}, {"Fix", f.Fix},
	} {
		if part[1] != "" {
			text = append(text, part[0]+": "+sarifPlain(part[1]))
		}
	}
	result := sarifResult{
		RuleID:              Line(sarifID(f)),
		RuleIndex:           rule,
		Level:               sarifLevels[SeverityOf(f)],
		Message:             sarifText{Text: strings.Join(text, "\n")},
		Locations:           []map[string]sarifPhysical{{"physicalLocation": sarifPlace(r, f.Location)}},
		PartialFingerprints: map[string]string{"closeout/v1": Neutral(f.Fingerprint)},
	}
	if f.Overridden {
		result.Suppressions = []sarifSuppression{{Kind: "external", Status: "accepted", Justification: sarifPlain(overrideReason(r, f))}}
	}
	return result
}

// sarifPlain breaks the only markup of a plain SARIF message, the link "[text](target)".
func sarifPlain(s string) string { return strings.ReplaceAll(Line(s), "](", "] (") }

// sarifPlace is the location of a finding. GitHub refuses the whole file if one result has no location, so a finding without
// a file points to the contract.
func sarifPlace(r *report.Report, l report.Location) (place sarifPhysical) {
	if l.Path == "" {
		l = report.Location{Path: standingContract}
		if i := slices.IndexFunc(r.Inputs, func(in report.Input) bool { return in.Kind == "contract" }); i >= 0 {
			l.Path = r.Inputs[i].Path
		}
	}
	if l.Line > 0 {
		place.Region = map[string]int{"startLine": l.Line}
	}
	place.Artifact = map[string]string{"uri": percentEncode(l.Path)}
	return place
}

// percentEncode writes a path as a relative URI reference (RFC 3986): unreserved bytes and slashes stay, except a slash at
// the start, which would make it absolute or name a host.
func percentEncode(path string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
	var b bytes.Buffer
	for i := range len(path) {
		if strings.IndexByte(unreserved, path[i]) >= 0 && (i > 0 || path[i] != '/') {
			b.WriteByte(path[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", path[i])
		}
	}
	return b.String()
}
