#!/bin/sh
# must-fail.sh PATCH COMMAND [ARG...]
#
# A negative control: shows that COMMAND notices broken code. It makes a temporary copy of HEAD, sees that COMMAND passes
# there, breaks the copy with PATCH, runs COMMAND again and exits with the status of that. Red is what you want to see.
#
# It exits with 126 when it could not get that far: then nothing has been shown, and closeout takes it for no proof.
# Paths in PATCH are those of the repository's root, as git diff writes them. COMMAND runs in the same folder of the copy
# as this script does; what git ignores is not in the copy, and MUST_FAIL_REPOSITORY says where the original is.
set -u

stop() {
	echo "must-fail: $1" >&2
	exit 126
}

[ $# -ge 2 ] || stop "usage: must-fail.sh PATCH COMMAND [ARG...]"
[ -f "$1" ] || stop "there is no patch $1"
patch=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift

MUST_FAIL_REPOSITORY=$(git rev-parse --show-toplevel) || stop "this is no work tree of git"
export MUST_FAIL_REPOSITORY
folder=$(git rev-parse --show-prefix)
git diff --quiet HEAD -- ':(top)' ':(top,exclude).closeout/evidence' ||
	stop "there are changes that are not committed, and the copy would not have them"

scratch=$(mktemp -d) || stop "there is no room for a copy"
clean() {
	git -C "$MUST_FAIL_REPOSITORY" worktree remove --force "$scratch/copy" 2>/dev/null
	rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

git -c core.hooksPath=/dev/null worktree add --quiet --detach "$scratch/copy" HEAD || stop "HEAD cannot be copied"
cd "$scratch/copy/$folder" || stop "HEAD has no folder $folder"

if ! "$@" >"$scratch/log" 2>&1; then
	cat "$scratch/log" >&2
	stop "the command fails in the copy before anything is broken: $*"
fi
git -C "$scratch/copy" apply "$patch" || stop "the patch does not apply to HEAD, make it anew: $patch"

"$@"
status=$?
[ "$status" -ne 0 ] || echo "must-fail: the command passes on broken code: $*" >&2
exit "$status"
