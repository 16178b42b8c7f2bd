package reports

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

// wholeSARIF is a log with every key that the gate reads.
const wholeSARIF = `{"version":"2.1.0","inlineExternalProperties":[],"runs":[{"tool":{"driver":{"name":"t","guid":"g","rules":[
 {"id":"a","defaultConfiguration":{"level":"error"}}]},"extensions":[{"name":"e","guid":"h","rules":[{"id":"x"}]}]},
 "invocations":[{"executionSuccessful":true,"processStartFailureMessage":"","exitSignalName":"","exitSignalNumber":0,
  "toolExecutionNotifications":[{"level":"warning","message":{"text":"m"}}],"toolConfigurationNotifications":[]}],"externalPropertyFileReferences":{"artifacts":[]},
 "conversion":{"invocation":{"executionSuccessful":true}},
 "results":[{"ruleId":"a","ruleIndex":0,"rule":{"id":"a","index":0,"toolComponent":{"index":-1,"guid":"g","name":"t"}},"kind":"fail",
  "baselineState":"new","level":"note","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"f","uriBaseId":"SRCROOT"},
  "region":{"startLine":1}}}]}]}]}`

var documents = []stricttest.Document{
	{Name: "rows", Schema: "rule_report", Whole: `[{"id":"a","category":"c","severity":"warn","passed":false,"detail":"d","file":"f","line":1,"quote":"q","reviewer":"r","x-note":[1]}]`, Parse: stricttest.ErrorsOf(Parse)},
	{Name: "rows under rules", Schema: "rule_report", Whole: `{"rules":[{"slug":"a","passed":true}],"x-note":{"a":1}}`, Parse: stricttest.ErrorsOf(Parse)},
	{Name: "failure lists", Schema: "rule_report", Whole: `{"block_failures":["a"],"warn_failures":["b"],"x-note":1}`, Parse: stricttest.ErrorsOf(Parse)},
	{Name: "diff rules", Schema: "diff_rules", Whole: `{"schema":"closeout.diff_rules/v1","x-a":1,"rules":[{"id":"closeout/a","category":"review","severity":"warn",` +
		`"passed":false,"detail":"d","file":"f","line":1,"side":"base","was":"w","now":"n","fix":"x"},{"id":"closeout/b","severity":"warn","passed":true}]}`,
		Parse: stricttest.ErrorsOf(ParseDiff)},
	{Name: "SARIF", Schema: "rule_report", Whole: wholeSARIF, Parse: stricttest.ErrorsOf(Parse)},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }
