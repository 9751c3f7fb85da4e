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
COPY tsconfig.json .tsconfig.build.json .tsconfig.types.json ./
COPY src src
COPY servers servers
COPY scripts scripts
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/native native
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/dist/servers dist/servers
COPY --from=build /app/scripts/nightly.yml scripts/nightly.yml
COPY results/published results/published
# The user of the image keeps results here. Kubernetes checks that a numeric user is not root.
RUN chown 1000:1000 results
USER 1000:1000
EXPOSE 8080
# Node is the first process, so signals reach it and running jobs end with partial results.
# Arguments pass unchanged; the shell splits the role into words.
ENTRYPOINT ["sh", "-c", \
  "[ $# -gt 0 ] || { set -f; set -- ${RINGSIDE_ROLE:-bench-runner}; }; exec node dist/src/cli/main.js \"$@\"", \
  "ringside"]
