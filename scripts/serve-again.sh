#!/bin/sh
# serve-again.sh PIDFILE COMMAND…: ends the server that it started before, and starts it again in the background.
set -eu
pidfile=$1
shift
if [ -f "$pidfile" ]; then
  pid=$(cat "$pidfile")
  kill "$pid" 2> /dev/null || true
  for _ in $(seq 100); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.05
  done
  kill -9 "$pid" 2> /dev/null || true
fi
"$@" > "$pidfile.log" 2>&1 &
echo $! > "$pidfile"
