#!/bin/sh
# Refuses a tag of another version than that of the packages and the chart.
set -eu
wanted=${GITHUB_REF_NAME#v}
for file in package.json native/package.json; do
  found=$(node -p "require('./$file').version")
  [ "$found" = "$wanted" ] || { echo "$file has version $found, the tag $wanted" >&2; exit 1; }
done
grep -qx "appVersion: $wanted" deploy/kubernetes/chart/Chart.yaml || {
  echo "deploy/kubernetes/chart/Chart.yaml has another appVersion than the tag: $wanted" >&2
  exit 1
}
