# syntax=docker/dockerfile:1
# Rungs in a container: non-root, works with a read-only root file system; the data is in /data.
#   docker build -t rungs . && docker run --read-only --tmpfs /tmp -p 127.0.0.1:7717:7717 -v rungs:/data rungs

FROM node:24-trixie-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && node scripts/package.ts
RUN mkdir -m 700 /data

FROM gcr.io/distroless/nodejs24-debian13:nonroot
COPY --from=build /src/dist/npm /app
COPY --from=build --chown=65532:65532 /data /data
ENV RUNGS_HOME=/data XDG_CACHE_HOME=/tmp/cache
VOLUME /data
EXPOSE 7717
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:7717/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/rungs.js"]
# Publish the port on loopback, or name the https address of a proxy in place of this one.
CMD ["serve", "--host", "0.0.0.0", "--behind-proxy", "http://127.0.0.1:7717"]
