#!/bin/sh
# Runs the linters of this repository, and writes one row for each into the rule report: rules.run of the contract names this
# script. If a linter cannot be started, there is no report, and the gate reports rules.missing.
set -u
report=.closeout/evidence/rule_report.json
rows=

lint() {
	id=$1
	shift
	"$@"
	status=$?
	case $status in
	0) passed=true ;;
	126 | 127 | 12[89] | 1[3-9]? | 2??)
		echo "rules.sh: $id was not run to its end (exit status $status): $*" >&2
		exit "$status"
		;;
	*) passed=false ;;
	esac
	rows="$rows${rows:+, }{\"id\": \"$id\", \"passed\": $passed}"
}

LINTERS

mkdir -p "${report%/*}" && printf '[%s]\n' "$rows" > "$report"
