# The service with its kernels built: starts in two seconds, not as root, on a read-only file system.
#
#   docker build --tag kinarow .
#   docker run --rm --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --stop-timeout 60 --publish 127.0.0.1:8000:8000 kinarow
#
# It runs on every x86 server since 2009 or so, and on arm64 where it is built there.

# The digest decides; the tag is for readers.
ARG PYTHON_IMAGE=python:3.13.5-slim-bookworm@sha256:4c2cf9917bd1cbacc5e9b07320025bdb7cdf2df7b0ceaccb55e9dd7e30987419

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_NO_INPUT=1
WORKDIR /src
RUN python -m venv /opt/kinarow/venv
ENV PATH=/opt/kinarow/venv/bin:${PATH}
# With the client for Redis, which serving uses only where KINAROW_REDIS_URL is set.
COPY requirements/ requirements/
RUN pip install --require-hashes --no-deps -r requirements/build.txt -r requirements/redis.txt \
    && pip install --require-hashes --no-deps --target /opt/sphinx -r requirements/guide.txt \
    && pip install --require-hashes --no-deps --target /opt/numba -r requirements/kernels.txt -r requirements/linker.txt
COPY pyproject.toml openapi.yaml LICENSE THIRD_PARTY_NOTICES.md ./
COPY release/backend.py release/
COPY clients/javascript/kinarow.js clients/javascript/
COPY browser/ browser/
COPY checker/check_proof.py checker/
COPY kinarow/ kinarow/
COPY service/ service/
COPY docs/ docs/
RUN PYTHONPATH=/opt/sphinx python -m sphinx --quiet docs service/guide
# The engine of the page, as `make browser` writes it.
RUN PYTHONPATH=/opt/numba:. python -m kinarow.kernels.build --target wasm32 \
    && PYTHONPATH=/opt/numba:. python browser/export.py service/web/engine
# The package brings kernels for each level of the processor family, as the wheel of `make wheels` does.
RUN PYTHONPATH=/opt/numba pip install --no-deps --no-build-isolation --config-settings targets=family . \
    && pip uninstall --yes setuptools pip \
    && chmod -R a+rX /opt/kinarow
RUN find /opt/kinarow/venv -type d -name tests -prune -exec rm -rf {} +

FROM ${PYTHON_IMAGE} AS serve
LABEL org.opencontainers.image.title="kinarow" \
      org.opencontainers.image.description="The best move, and how good it is, on any k-in-a-row board" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /nonexistent kinarow
COPY --from=build /opt/kinarow /opt/kinarow
ENV PATH=/opt/kinarow/venv/bin:${PATH} \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    KINAROW_HOST=0.0.0.0 \
    KINAROW_PORT=8000
# Bytecode of every module: what the layers bring is missing or looks stale by its time, and would be made anew at each start.
RUN python -m compileall -q -f -j 0 -x '/tests?/' --invalidation-mode unchecked-hash /usr/local/lib/python3.* /opt/kinarow/venv/lib
USER 10001:10001
WORKDIR /opt/kinarow
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"KINAROW_PORT\"]}/healthz', timeout=2)"]
CMD ["kinarow", "serve"]
