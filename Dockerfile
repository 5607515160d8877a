# The base image by digest: a tag can be moved, a digest cannot. This one is what several public Dockerfiles name for the tag; it was not
# pulled when it was written here. `.ci/image` builds it, and so proves it, wherever there is a container engine. To renew it:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
ARG BASE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Without the scripts of the project itself, which bundle what browsers load.
RUN npm ci --omit=dev --ignore-scripts && npm rebuild

FROM ${BASE} AS build
WORKDIR /app
# The licence is what the program finds its folder by.
COPY package.json package-lock.json tsconfig.json LICENSE ./
RUN npm ci --ignore-scripts
COPY bin bin
COPY packages packages
COPY tools tools
RUN node packages/server/src/interfaces/web/build.ts && node --disable-warning=ExperimentalWarning tools/build-package.ts

FROM ${BASE}
# tini reaps orphans: PostgreSQL's lock takes a zombie for a living server.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/build build
COPY package.json package-lock.json LICENSE ./
COPY bin bin
COPY languages languages
COPY space-templates space-templates
# Nothing but /data is written to, so that the root file system may be read-only. Embedded PostgreSQL runs as this user.
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA=/data SVC_DRAIN_SECONDS=5 MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=16
EXPOSE 3000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "bin/recto.js", "serve"]
