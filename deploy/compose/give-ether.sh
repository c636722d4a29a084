#!/bin/sh
# For the chain of a try-out: docker compose logs quarters-1 | sh deploy/compose/give-ether.sh
# Gives 1,000 ether to the accounts that the first start has named. On a real chain you send them some yourself.
set -eu
# In the container of the chain, because its port is not published.
# shellcheck disable=SC2016 # The shell there expands it.
send='exec 3<>"/dev/tcp/${CHAIN:-127.0.0.1}/10080"
printf "POST / HTTP/1.1\r\nHost: chain\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" "${#0}" "$0" >&3
cat <&3'
accounts=$(sed -n 's/^.*have no ether: \([^.]*\)\..*$/\1/p' | tail -n 1 | tr -d ' ' | tr ',' '\n')
[ -n "$accounts" ] || { echo 'No line names accounts without ether.' >&2 && exit 1; }
for account in $accounts; do
  call="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"anvil_setBalance\",\"params\":[\"$account\",\"0x3635c9adc5dea00000\"]}"
  # shellcheck disable=SC2086 # A command with its arguments.
  answer=$(${IN_CHAIN:-docker compose exec -T chain} bash -c "$send" "$call" </dev/null)
  case $answer in
  *'"result":null'*) echo "$account has 1,000 ether." ;;
  *) echo "The chain refused: $answer" >&2 && exit 1 ;;
  esac
done
