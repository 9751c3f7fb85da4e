#!/usr/bin/env bash
# The measuring step of action.yml. It needs SUITE or COMPARE, and writes ringside/ and the exit code.
set -euo pipefail
if [ -n "$SUITE" ] && [ -n "$COMPARE" ]; then what='both'; elif [ -z "$SUITE$COMPARE" ]; then what='neither'; fi
if [ -n "${what:-}" ]; then
  echo "::error::give suite or compare; got $what"
  exit 2
fi
if [ -n "$SUITE" ]; then
  args=(suite run "$SUITE")
else
  # xargs knows quotes, and runs nothing that they hold.
  mapfile -t args < <(printf '%s' "$COMPARE" | xargs printf '%s\n')
  args=(compare "${args[@]}")
fi
version=${VERSION:-$(node -p "require('$ACTION/package.json').version")}
mkdir -p ringside
code=0
npx --yes --package "ringside-bench@$version" ringside "${args[@]}" --results ringside/results \
  --markdown ringside/comment.md --html ringside/page.html --junit ringside/junit.xml || code=$?
# A comment holds 65,536 characters.
if [ -f ringside/comment.md ]; then
  cat ringside/comment.md >> "$GITHUB_STEP_SUMMARY"
  head --bytes 60000 ringside/comment.md > ringside/cut.md && mv ringside/cut.md ringside/comment.md
  echo "code=$code" >> "$GITHUB_OUTPUT"
else
  exit "$code"
fi
