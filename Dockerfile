# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Without the scripts of the project itself, which bundle what browsers load.
RUN npm ci --omit=dev --ignore-scripts && npm rebuild

FROM node:24-bookworm-slim AS web
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY src/lib src/lib
COPY src/web src/web
RUN node src/web/build.ts

FROM node:24-bookworm-slim
# tini reaps orphans: PostgreSQL's lock takes a zombie for a living server.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=web /app/dist dist
COPY package.json package-lock.json LICENSE ./
COPY bin bin
COPY src src
COPY space-templates space-templates
# Compiled code is kept in .cache, so that later starts are quicker and smaller.
RUN mkdir /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA=/data
EXPOSE 3000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=4", "bin/recto.js", "serve"]
