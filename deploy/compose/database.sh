#!/bin/sh
# Starts PostgreSQL: as a primary, or, the first time with FOLLOWS, as a streaming replica of the server of that name.
set -eu
if [ -n "$FOLLOWS" ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
  until PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --pgdata="$PGDATA" --write-recovery-conf --wal-method=stream --checkpoint=fast \
    --dbname="host=$FOLLOWS user=replication application_name=$NAME"; do
    find "$PGDATA" -mindepth 1 -delete || true
    sleep 2
  done
  chmod 700 "$PGDATA"
fi
# A commit is acknowledged when the other server has it (primary.sh). Connections of a machine that is gone end after 25 seconds.
exec docker-entrypoint.sh postgres -c wal_keep_size=1GB -c max_connections=100 \
  -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3
