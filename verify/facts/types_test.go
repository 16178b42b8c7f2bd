package facts

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

var documents = []stricttest.Document{
	{Name: "facts", Schema: "facts", Whole: wholeFacts, Parse: stricttest.ErrorsOf(Parse)},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }
