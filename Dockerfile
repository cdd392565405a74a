# syntax=docker/dockerfile:1
# One image for any part of Dropbell:  docker build --build-arg SERVICE=cli -t dropbell/cli .

FROM node:24.11.1-bookworm-slim AS build
ARG SERVICE
RUN test -n "$SERVICE" || { echo 'Say what to build: --build-arg SERVICE=<directory below services/ or packages/>' >&2; exit 1; }
ENV TURBO_TELEMETRY_DISABLED=1 CI=true
WORKDIR /build
RUN npm install --global pnpm@12.18.0
# The lockfile alone decides what is fetched, so this layer is built anew only when it changes.
COPY pnpm-lock.yaml pnpm-workspace.yaml .npmrc ./
RUN pnpm fetch
COPY . .
RUN pnpm install --offline --frozen-lockfile \
 && pnpm exec turbo run build --filter="@dropbell/$SERVICE" \
 && pnpm --filter="@dropbell/$SERVICE" deploy --prod --legacy /app

FROM node:24.11.1-bookworm-slim
ENV NODE_ENV=production OPERATIONS_HOST=0.0.0.0 OPERATIONS_PORT=9464
WORKDIR /app
COPY --from=build --chown=root:root /app ./
USER node
EXPOSE 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPERATIONS_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
