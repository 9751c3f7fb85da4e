#!/bin/sh
# Publishes the tarballs of a folder: publish.sh FOLDER [options of npm publish]. A package follows those that it names.
# A version that is out already is passed over, so that a release goes on after a failure.
set -eu
folder=$1
shift
for tarball in "$folder"/ringside-native-linux-*.tgz "$folder"/ringside-native-[0-9]*.tgz "$folder"/ringside-bench-*.tgz; do
  name=$(tar -xOf "$tarball" package/package.json | node -p 'const { name, version } = JSON.parse(fs.readFileSync(0)); `${name}@${version}`')
  if npm view "$name" version >/dev/null 2>&1; then
    echo "$name is out"
  else
    npm publish "$tarball" --access public "$@"
  fi
done
