package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// MockInIntegration finds integration tests that begin to replace what they should integrate.
var MockInIntegration = &Rule{
	ID: "closeout/mock-in-integration", Title: "An integration test replaces parts of the program by mocks now", Severity: input.Warn, Review: true,
	Languages: programLanguages,
	Find: func(c *Change, report func(Hit)) {
		for _, f := range c.Files {
			if f.Base == nil || f.Head == nil || f.Lang() == source.None || !isIntegration(f.Path) {
				continue
			}
			mocks := 0
			h := Hit{File: f.Path, Fix: "test the real parts together; put the test with the mocks beside the unit tests"}
			for _, l := range f.Added() {
				if mock := mockIn(f.Lang(), f.Head.CodeLine(l.Number)); mock != "" && replaces(mock) {
					if mocks++; mocks == 1 {
						h.Line, h.Now = l.Number, string(l.Text)
					}
				}
			}
			if mocks > 0 && !hadMocks(f.Base) {
				h.Detail = "the integration test had no mocks before, and has " + input.Plural(int64(mocks), "mock") + " now"
				report(h)
			}
		}
	},
}

// MockGrowth states how many calls of mocks a change adds.
var MockGrowth = &Rule{
	ID: "closeout/mock-growth", Title: "The tests replace more of the program by mocks", Severity: input.Info,
	Languages: programLanguages,
	Find: func(c *Change, report func(Hit)) {
		var most *File
		added, removed, growth := 0, 0, 0
		for _, f := range c.Files {
			if f.Lang() == source.None || !source.IsTest(f.Path) {
				continue
			}
			plus, minus := f.mocks()
			added, removed = added+plus, removed+minus
			if plus-minus > growth {
				growth, most = plus-minus, f
			}
		}
		if most == nil || added <= removed+usualMocks {
			return
		}
		report(Hit{
			File: most.Path, Detail: fmt.Sprintf("the tests of the change have %s more and %d fewer, most of them in this file", input.Plural(int64(added), "mock"), removed),
			Fix: "check that the tests still run the code that they are about",
		})
	},
}

// usualMocks is how many mocks a change may add without being named.
const usualMocks = 5

// mocks counts the lines with mocks that a file gains and loses.
func (f *File) mocks() (added, removed int) {
	if f.Head != nil {
		for _, l := range f.Added() {
			if mockIn(f.Lang(), f.Head.CodeLine(l.Number)) != "" {
				added++
			}
		}
	}
	if f.Base != nil {
		for _, l := range f.Removed() {
			if mockIn(f.Lang(), f.Base.CodeLine(l.Number)) != "" {
				removed++
			}
		}
	}
	return added, removed
}

// isIntegration reports whether a path is that of tests of the whole program.
func isIntegration(path string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return strings.ContainsRune("/._-", r) }) {
		switch word {
		case "e2e", "integration", "acceptance", "integrationtests", "integrationtest", "endtoend", "e2etests":
			return true
		}
	}
	return false
}

func hadMocks(v *source.File) bool {
	for n := range v.Lines() {
		if mockIn(v.Lang, v.CodeLine(n+1)) != "" {
			return true
		}
	}
	return false
}

// replaces reports whether a mock takes the place of a part of the program: a function to call back with does not.
func replaces(mock string) bool {
	return !strings.HasSuffix(mock, ".fn(") && !strings.HasSuffix(mock, ".spyOn(")
}

// mockCalls are what makes a mock, or uses one.
var mockCalls = map[source.Lang][]string{
	source.Go:         {"gomock.", ".EXPECT()", "NewMock", "mock.Mock"},
	source.Python:     {"mock.patch", "patch(", "patch.object(", "patch.dict(", "MagicMock(", "AsyncMock(", "Mock(", "monkeypatch.setattr(", "mocker.", "create_autospec("},
	source.JavaScript: {"jest.mock(", "vi.mock(", "vi.doMock(", "jest.doMock(", "sinon.", "nock(", "proxyquire(", "jest.fn(", "vi.fn(", "jest.spyOn(", "vi.spyOn(", ".mockImplementation(", ".mockResolvedValue(", ".mockReturnValue("},
	source.Rust:       {"mockall", "#[automock]", "mock!{", "mock! {", "MockServer::start", ".returning("},
	source.Java:       {"Mockito.", "mock(", "spy(", "@Mock", "@MockBean", "@MockitoBean", ".thenReturn(", "mockk(", "mockk<", "given("},
	source.CSharp:     {"new Mock<", "Substitute.For<", "Mock.Of<", "A.Fake<", "MockBehavior."},
	source.Ruby:       {".to receive", "instance_double(", "double(", "class_double(", ".stubs(", "Minitest::Mock", ".stub("},
}

// mockIn is the mock in a line of code, "" for none.
func mockIn(lang source.Lang, line []byte) string {
	if lang == source.TypeScript {
		lang = source.JavaScript
	}
	if isImport(line) {
		return ""
	}
	for _, mock := range mockCalls[lang] {
		for rest := line; ; {
			i := bytes.Index(rest, []byte(mock))
			if i < 0 {
				break
			}
			if i == 0 || !source.IsWord(mock[0]) || !source.IsWord(rest[i-1]) {
				return mock
			}
			rest = rest[i+len(mock):]
		}
	}
	return ""
}
