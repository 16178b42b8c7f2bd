#!/bin/sh
# Runs the linters that its arguments name, each as "id: command", and writes one row for each into the rule report. Add a linter to
# rules.run of the contract and not to this script: the files that decide what it does are then protected. If a linter cannot be
# started, there is no report, and the gate reports rules.missing.
set -u
report=.closeout/evidence/rule_report.json
rows=

for linter in "$@"; do
	id=${linter%%: *}
	sh -c "${linter#*: }"
	status=$?
	case $status in
	0) passed=true ;;
	126 | 127 | 12[89] | 1[3-9]? | 2??)
		echo "rules.sh: $linter was not run to its end (exit status $status)" >&2
		exit "$status"
		;;
	*) passed=false ;;
	esac
	rows="$rows${rows:+, }{\"id\": \"$id\", \"passed\": $passed}"
done

mkdir -p "${report%/*}" && printf '[%s]\n' "$rows" > "$report"
