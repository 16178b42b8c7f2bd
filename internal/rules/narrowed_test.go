package rules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
)

// TestNarrows compares commands with those that replace them: was => now => how, "" for nothing.
func TestNarrows(t *testing.T) {
	for line := range strings.Lines(`
		pytest tests => pytest tests --ignore=tests/slow => --ignore=tests/slow
		pytest tests => pytest tests --deselect tests/a.py::test_a => --deselect
		pytest => pytest -k "not slow" => -k
		pytest -k "not slow" => pytest -k "not slow and not net" => -k
		pytest -k "a or b" => pytest -k a => -k
		pytest -k a => pytest -k "a or b" =>
		go test -run "A|B" ./... => go test -run "^A$" ./... => -run
		go test ./... => go test -c ./... => -c
		go test -run . ./... => go test -run TestA ./... => -run
		pytest -m unit => pytest -m unit -v =>
		pytest => pytest -m "not net" => -m
		pytest => pytest --reruns 3 => --reruns
		pytest => pytest --lf => --lf
		pytest => pytest tests/unit => only tests/unit
		pytest tests => pytest tests/unit => only tests/unit
		pytest tests/unit => pytest tests =>
		pytest tests => pytest tests -x --tb=short -n 4 =>
		python -m pytest tests => uv run pytest tests --ignore tests/slow => --ignore
		go test ./... => go test -short ./... => -short
		go test ./... => go test -run TestA ./... => -run
		go test ./... => go test -skip=TestA ./... => -skip=TestA
		go test -run ^TestA ./... => go test -run "^Test(A|B)" ./... =>
		go test -run ^A$ ./... => go test -run "^A$|^B$" ./... =>
		go test -run A ./... => go test -run "$PATTERN" ./... =>
		go test -race ./... => go test -timeout=${{ env.T }} ./... => without -race
		gradle check -x testJar => gradle check -x testJar -x test => -x
		go test -skip A ./... => go test -skip "A|B" ./... => -skip
		go test -race ./... => go test ${{ matrix.race }} ./... =>
		pytest -k a => pytest -k "a or b" =>
		./gradlew build -x test => ./gradlew build -PskipTests =>
		mvn verify -DskipTests => mvn verify -DskipTests -DskipITs =>
		ctest => ctest --repeat until-pass:3 => --repeat
		phpstan analyse => phpstan analyse --generate-baseline => --generate-baseline
		eslint . --max-warnings 0 => eslint . => without --max-warnings
		cargo fmt --check => cargo fmt => without --check
		go test -race ./... => go test ./... => without -race
		go test ./... => go test ./internal/... => only internal
		go test ./... => go test -race -count=1 ./... =>
		go test ./a/... ./b/... => go test ./a/... => only a
		vitest run => vitest run --exclude src/slow => --exclude
		vitest run => vitest run --passWithNoTests => --passWithNoTests
		vitest run => vitest run --retry=3 => --retry=3
		npx jest => npx jest --testPathIgnorePatterns e2e => --testPathIgnorePatterns
		npx jest => npx jest --ci =>
		cargo test --workspace => cargo test --lib => --lib
		cargo test --all-features => cargo test => without --all-features
		cargo test => cargo test -- --skip slow => --skip
		dotnet test => dotnet test --filter Category!=Slow => --filter
		mvn verify => mvn -B verify -DskipTests => -DskipTests
		mvn -B verify => mvn verify =>
		./gradlew build => ./gradlew build -x test => -x
		mypy src tests => mypy src => only src
		mypy --strict src => mypy src => without --strict
		rspec => rspec --tag ~slow => --tag
		eslint . => eslint src => only src
		ruff check . => ruff check . --ignore E501 => --ignore
		golangci-lint run => golangci-lint run --new-from-rev=HEAD~1 => --new-from-rev=HEAD~1
		pytest => until pytest; do sleep 1; done => it is tried again where it fails
		pytest => for i in 1 2 3; do pytest && break; done => it is tried again where it fails
		make test => make test =>
		go test ./... => go test ./... -test.run=A => -test.run=A
		go test ./... => go test ./... -test.v =>
		npx vitest run => npx vitest run src/a => only src/a
		npm test => npm test -- --exclude b => --exclude
		npm test => npm test -- --silent =>
		cargo test => cargo test add => only add
		cargo test => cargo test --release =>
		dotnet test => dotnet test src/A.Tests => only src/A.Tests
		dotnet test => dotnet test All.sln =>
		node --test => node --test test/a.test.js => only test/a.test.js
		bin/rails test => bin/rails test test/models => only test/models
		vendor/bin/phpunit => vendor/bin/phpunit --exclude-group slow => --exclude-group
		tox => tox -e py39 => -e
		tox -e py39 => tox -e py310 =>
		tsc --noEmit => tsc --noEmit --skipLibCheck => --skipLibCheck
	`) {
		parts := strings.Split(strings.TrimSpace(line), "=>")
		if len(parts) != 3 {
			continue
		}
		run := func(text string) Check {
			f := &File{Change: change.Change{Path: "a.sh"}}
			for _, r := range f.checksOf(script{text: text}) {
				return r
			}
			t.Fatalf("%q runs no check", text)
			return Check{}
		}
		was, now := run(parts[0]), run(parts[1])
		if how := now.narrows(&was, false, nil); how != strings.TrimSpace(parts[2]) {
			t.Errorf("%s: %q", strings.TrimSpace(line), how)
		}
	}
}
