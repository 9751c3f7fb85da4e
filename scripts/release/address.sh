#!/bin/sh
# Writes the address of this repository into both packages. npm compares it with the one that signs the provenance.
set -eu
npm pkg set --workspaces --include-workspace-root repository.type=git \
  repository.url="git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git" \
  homepage="${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}#readme" bugs="${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/issues"
