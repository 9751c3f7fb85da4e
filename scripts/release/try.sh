#!/bin/sh
# Installs the packed tarballs of a folder as a user would, and compares two servers: try.sh FOLDER
set -eu
folder=$1
platform=$(node -p 'const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"; `${process.platform}-${process.arch}-${libc}`')
cd "$(mktemp -d)"
# npm would ask the registry for versions that are not out yet.
npm install --no-audit --no-fund "$folder"/ringside-native-"$platform"-*.tgz "$folder"/ringside-native-[0-9]*.tgz \
  "$folder"/ringside-bench-*.tgz
npx ringside doctor
code=0
npx ringside compare latency --clients 50 --budget 40s --target ws --target socketio || code=$?
# A machine of a CI service may leave the order open (4).
[ "$code" = 0 ] || [ "$code" = 4 ]
