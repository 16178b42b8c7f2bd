package rules

import (
	"strings"
	"testing"
)

func TestChecksIn(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./... || true":                        "go test",
		"CGO_ENABLED=0 go test -race ./...":            "go test",
		"go build ./...":                               "",
		"make -C dir test":                             "make test",
		"make all build":                               "",
		"make integration-setup":                       "",
		"uv run --frozen pytest -q":                    "pytest",
		"uv run --group pre-commit pre-commit run":     "pre-commit run",
		"uv run --group pytest python -m build":        "",
		"uv run --with=pytest mypy src":                "mypy",
		"python3 -m pytest":                            "pytest",
		"python -m build":                              "",
		"npm run test:unit -- --coverage":              "npm test:unit",
		"npm ci":                                       "",
		"npm ci && npm t":                              "npm t",
		"pnpm -F web test":                             "pnpm test",
		"pnpm exec vitest run":                         "vitest",
		"yarn jest":                                    "jest",
		"npx tsc --noEmit":                             "tsc",
		"./gradlew :app:check":                         "gradlew check",
		"./mvnw -B clean verify":                       "mvnw verify",
		"bundle exec rspec":                            "rspec",
		"bundle install":                               "",
		"  - run: cargo clippy -- -D warnings":         "cargo clippy",
		"cargo +nightly test":                          "cargo test",
		"cargo publish":                                "",
		"./scripts/run-tests.sh --all":                 "run-tests.sh",
		"bash ci/deploy.sh":                            "",
		"echo 'go test ./...'":                         "",
		"if ! go vet ./...; then":                      "go vet",
		"grep test file":                               "",
		"test -f x || exit 1":                          "",
		"$(go test ./...)":                             "go test",
		"timeout 10m dotnet test x.sln":                "dotnet test",
		"docker pull x/test":                           "",
		"# go test":                                    "",
		"golangci-lint run > out.txt 2>&1 && eslint .": "golangci-lint eslint",
		"RUN go vet ./... \\\n && go test ./...":       "go vet go test",
		"git commit -m \"run go test || true\"":        "",
		"@go test ./...":                               "go test",
		"-pytest":                                      "pytest",
		"run: |":                                       "",
	} {
		if got := strings.Join(checksIn(line), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
