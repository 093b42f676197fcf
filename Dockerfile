# primus-plan for CI jobs: docker build -t primus-plan . && docker run --rm -v "$PWD:/work" primus-plan check experiments
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    g++ cmake ninja-build libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev libedit-dev
WORKDIR /source
COPY . .
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPRIMUS_PLAN_TESTS=OFF \
 && cmake --build /build \
 && cmake --install /build --component program --prefix /installed --strip

FROM debian:bookworm-slim
# git: for --changed-since and FILE@REVISION.
RUN apt-get update && apt-get install -y --no-install-recommends libyaml-cpp0.7 libfmt9 libedit2 git \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory '*'
COPY --from=build /installed /usr/local
WORKDIR /work
ENTRYPOINT ["primus-plan"]
