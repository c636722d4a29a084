#!/bin/sh
# Runs once, when PostgreSQL's container makes its cluster. The service's role owns its database and nothing else.
set -eu
password=$(cat "${DATABASE_PASSWORD_FILE:?}")
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$password" --set=name="${DATABASE_NAME:-quarters}" \
  --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
