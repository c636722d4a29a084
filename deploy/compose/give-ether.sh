#!/bin/sh
# For the chain of a try-out: docker compose logs quarters-1 | sh deploy/compose/give-ether.sh
# Gives 1,000 ether to the accounts that the first start has named. On a real chain you send them some yourself.
set -eu
chain=${CHAIN:-http://127.0.0.1:8545}
accounts=$(sed -n 's/^.*have no ether: \([^.]*\)\..*$/\1/p' | tail -n 1 | tr -d ' ' | tr ',' '\n')
[ -n "$accounts" ] || { echo 'No line names accounts without ether.' >&2 && exit 1; }
for account in $accounts; do
  curl --fail --silent --show-error --output /dev/null --header 'Content-Type: application/json' "$chain" \
    --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"anvil_setBalance\",\"params\":[\"$account\",\"0x3635c9adc5dea00000\"]}"
  echo "$account has 1,000 ether."
done
