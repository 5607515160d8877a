#!/bin/sh
# Runs once, on the first primary: the role and the database of Recto. $1 is a connection string of the superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" -d "$1" <<'SQL'
create role recto login password :'password';
create database recto owner recto;
SQL
