auth=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 --wrap=0) remote=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$remote.extraHeader" GIT_CONFIG_VALUE_0="Authorization: Basic $auth"
pull=$(printf '%s' "$GITHUB_REF" | sed -nE 's,^refs/(pull/|.+/pr-)([0-9]+).*,refs/pull/\2,p')
base=${GITHUB_BASE_REF:+refs/heads/$GITHUB_BASE_REF}
git init --quiet --bare closeout.git
git -C closeout.git fetch --quiet --no-tags "$remote" +HEAD:refs/default "+${base:-$GITHUB_SHA}:refs/base" "+$pull/head:refs/head"
git -C closeout.git fetch --quiet --no-tags "$remote" "+$pull/merge:refs/merge" || true
