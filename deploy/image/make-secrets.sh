#!/bin/sh
# Makes the secrets of an installation: make-secrets.sh FOLDER [FOLDER OF THE DATABASE'S PASSWORDS]
# It only adds what is missing, and never changes or prints a secret. DATABASE_HOST, DATABASE_PORT and DATABASE_NAME say where the
# database is.
# Back up master-key apart from the database: without it the accounts' keys are lost.
set -eu
folder=${1:?Usage: make-secrets.sh FOLDER [FOLDER OF THE DATABASE\'S PASSWORDS]}
passwords=${2:-$folder}
umask 077

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# A file appears complete or not at all. `ln` fails if it is there already, also if two of us run at once.
add() { # path, mode, text
  [ -e "$1" ] && return
  part=$(mktemp "$1.XXXXXX")
  printf '%s\n' "$3" >"$part"
  chmod "$2" "$part"
  ln "$part" "$1" || true
  rm -f "$part"
}

mkdir -p "$folder" "$passwords"
# The database's container has another user. So all who may enter the folder may read the passwords.
mode=444
[ "$passwords" = "$folder" ] && mode=400
add "$folder/master-key" 400 "$(random)"
add "$passwords/superuser-password" "$mode" "$(random)"
add "$passwords/database-password" "$mode" "$(random)"
name=${DATABASE_NAME:-quarters}
password=$(cat "$passwords/database-password")
add "$folder/database-url" 400 "postgres://$name:$password@${DATABASE_HOST:-localhost}:${DATABASE_PORT:-5432}/$name"
