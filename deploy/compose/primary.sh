#!/bin/sh
# What a new primary gets: the role and database of Rungs, the role of the replica, and commits that wait for the replica.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv rungs RUNGS_DATABASE_PASSWORD
\getenv replication REPLICATION_PASSWORD
CREATE ROLE rungs LOGIN CREATEROLE PASSWORD :'rungs';
CREATE DATABASE rungs OWNER rungs;
CREATE ROLE replication LOGIN REPLICATION PASSWORD :'replication';
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (db1, db2)';
SQL
echo "host replication replication all scram-sha-256" >> "$PGDATA/pg_hba.conf"
