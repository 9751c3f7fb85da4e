# One image for every role. The command picks it, `bench-runner` (the default) or `target NAME`; so does RINGSIDE_ROLE, for platforms that only set variables:
#   docker run -e RINGSIDE_TOKEN=… -e RINGSIDE_HOST=0.0.0.0 -p 8080:8080 IMAGE
#   docker run -p 3000:3000 IMAGE target uws --host 0.0.0.0 --port 3000
#   docker run -e RINGSIDE_ROLE="target socketio --host 0.0.0.0 --port 3000" -p 3000:3000 IMAGE
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json .tsconfig.build.json ./
COPY src src
COPY servers servers
COPY scripts scripts
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts/nightly.yml scripts/nightly.yml
COPY results/published results/published
# Results are kept there, by the user that runs the image. By its number, as Kubernetes can't tell of a name that it is not root.
RUN chown 1000:1000 results
USER 1000:1000
EXPOSE 8080
# Node as the first process, so that signals reach it and running jobs end with their partial results.
# What stands behind the image is handed on as it is; the role is words, which the shell splits.
ENTRYPOINT ["sh", "-c", "if [ $# -gt 0 ]; then exec node dist/src/cli/main.js \"$@\"; else set -f; exec node dist/src/cli/main.js ${RINGSIDE_ROLE:-bench-runner}; fi", "ringside"]
