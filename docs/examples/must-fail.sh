#!/bin/sh
# must-fail.sh PATCH COMMAND [ARG...]
#
# A negative control: proves that COMMAND detects broken code. It makes a temporary copy of HEAD, checks that COMMAND
# passes there, breaks the copy with PATCH, runs COMMAND again and exits with that status. A failure is the expected result.
#
# It exits with 126 when an earlier step fails: then nothing is proven, and closeout does not accept the run as a proof.
# Paths in PATCH are relative to the root of the repository, as git diff writes them. COMMAND runs in the same directory of
# the copy as this script does. Files that git ignores are not in the copy. MUST_FAIL_REPOSITORY is the path of the original.
set -u

stop() {
	echo "must-fail: $1" >&2
	exit 126
}

[ $# -ge 2 ] || stop "usage: must-fail.sh PATCH COMMAND [ARG...]"
[ -f "$1" ] || stop "the patch $1 does not exist"
patch=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift

MUST_FAIL_REPOSITORY=$(git rev-parse --show-toplevel) || stop "this is not a git work tree"
export MUST_FAIL_REPOSITORY
directory=$(git rev-parse --show-prefix)
git diff --quiet HEAD -- ':(top)' ':(top,exclude).closeout/evidence' ||
	stop "there are uncommitted changes, which the copy would not contain"

scratch=$(mktemp -d) || stop "cannot create a temporary directory"
clean() {
	git -C "$MUST_FAIL_REPOSITORY" worktree remove --force "$scratch/copy" 2>/dev/null
	rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

git -c core.hooksPath=/dev/null worktree add --quiet --detach "$scratch/copy" HEAD || stop "cannot copy HEAD"
cd "$scratch/copy/$directory" || stop "HEAD has no directory $directory"

if ! "$@" >"$scratch/log" 2>&1; then
	cat "$scratch/log" >&2
	stop "the command fails in the copy before the patch is applied: $*"
fi
git -C "$scratch/copy" apply "$patch" || stop "the patch does not apply to HEAD, create it again: $patch"

"$@"
status=$?
[ "$status" -ne 0 ] || echo "must-fail: the command passes on broken code: $*" >&2
exit "$status"
