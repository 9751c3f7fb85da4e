# One image for every role: `bench-runner` (the default), `target NAME` or any other command of `ringside`.
# RINGSIDE_ROLE picks the role on platforms that only set variables:
#   docker run -e RINGSIDE_TOKEN=… -e RINGSIDE_HOST=0.0.0.0 -p 8080:8080 IMAGE
#   docker run -p 3000:3000 IMAGE target uws --host 0.0.0.0 --port 3000
#   docker run -e RINGSIDE_ROLE="target socketio --host 0.0.0.0 --port 3000" -p 3000:3000 IMAGE
# This one has a C compiler for the native engine, and the C library of the slim one.
FROM node:20-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY native native
RUN npm ci --ignore-scripts
COPY tsconfig.json .tsconfig.types.json ./
COPY src src
COPY servers servers
COPY scripts scripts
# A benchmark of the rig measures with data that tests share.
COPY test test
RUN npm run build && npm prune --omit=dev --ignore-scripts && \
  rm -r dist/scripts dist/types && find servers '(' -name '*.ts' -o -type d -empty ')' -delete
# Half of what packages hold is for people, compilers and debuggers: types, maps, pages, tests, symbols of Node.
RUN find node_modules -regextype posix-extended -type f -regex '.*\.(map|md|[cm]?ts)' -delete && \
  find node_modules -regextype posix-extended -type d \
    -regex '(.*/)?node_modules/(@[^/]+/)?[^/]+/(test|tests|docs|examples|benchmarks?)' -prune -exec rm -r {} + && \
  strip -o /node "$(command -v node)"

FROM debian:bookworm-slim
COPY --from=build /node /usr/local/bin/node
COPY deploy/image/ringside-healthy /usr/local/bin/
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/native native
COPY --from=build /app/dist dist
COPY --from=build /app/servers servers
COPY --from=build /app/scripts/nightly.yml scripts/nightly.yml
COPY results/published results/published
# The user of the image keeps results here. Kubernetes checks that a numeric user is not root.
RUN useradd --uid 1000 --create-home ringside
RUN chown 1000:1000 results
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["ringside-healthy"]
# Node is the first process, so signals reach it and running jobs end with partial results.
# Arguments pass unchanged; the shell splits the role into words.
ENTRYPOINT ["sh", "-c", \
  "[ $# -gt 0 ] || { set -f; set -- ${RINGSIDE_ROLE:-bench-runner}; }; exec node dist/src/cli/main.js \"$@\"", \
  "ringside"]
