#!/bin/sh
# Makes the dumps of a release that upgrades are tested from: dump.sh NAME DATABASE_URL, against a PostgreSQL 15 (what later ones
# read, too) on which that release serves: NAME-empty.sql.br before fill.ts ran, NAME.sql.br after it.
set -eu
name=$1
url=$2
pg_dump --no-owner --no-privileges --inserts "$url" |
  node -e "process.stdout.write(require('node:zlib').brotliCompressSync(require('node:fs').readFileSync(0)))" \
    >"$(dirname "$0")/releases/$name.sql.br"
