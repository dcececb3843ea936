# The same program as in the archive (npm run release), on a small Debian. Without Docker: npm run release -- --image
FROM node:24-slim AS build
ARG TARGETARCH=amd64
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
COPY console/package.json ./console/
RUN npm ci --ignore-scripts
# The guide inside the program is made from every page, and checks the files that they link to.
COPY . .
RUN arch=$([ "$TARGETARCH" = arm64 ] && echo arm64 || echo x64) \
  && npm run release -- --arch "$arch" --no-weights --out /release \
  && mkdir /app && tar -xzf /release/tramontane-*.tar.gz -C /app --strip-components=1

FROM debian:12-slim
# OpenMP for the engines; Node and everything else is in /app.
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 libstdc++6 && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home tramontane
COPY --from=build /app /app
ENV PATH=/app:/usr/local/bin:/usr/bin:/bin \
    NODE_ENV=production \
    TRAMONTANE_HOST=0.0.0.0 \
    TRAMONTANE_PORT=4747 \
    TRAMONTANE_DATA_DIR=/srv/tramontane/data
WORKDIR /app
# Made here, so that a new volume belongs to the user that writes to it.
RUN mkdir -p -m 0700 /srv/tramontane/data && chown -R 1000:1000 /srv/tramontane \
  && ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node
# By number: Kubernetes cannot know that a name is not root.
USER 1000:1000
VOLUME /srv/tramontane/data
# The API, and where workers get at Temporal if workflows run there.
EXPOSE 4747 4748
# slim has no curl.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.TRAMONTANE_PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["tramontane", "start"]
