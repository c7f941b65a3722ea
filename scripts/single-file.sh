#!/bin/sh
# loopdash with the Node that it runs on, in one file: this script, then an archive. The first start unpacks it, each start executes it.
# `exec` replaces this shell, so signals, the terminal and the exit code are the program's own.
set -u
name=@NAME@ machine=@MACHINE@ offset=@OFFSET@

fail() {
  printf 'loopdash: %s\n  why: %s\n  do:  %s\n' "$1" "$2" "$3" >&2
  exit 4
}

case ${XDG_DATA_HOME:-} in
/*) home=$XDG_DATA_HOME/loopdash ;;
*) home=${HOME:?is not set}/.local/share/loopdash ;;
esac

# A subshell: `exec` must not inherit its umask and traps.
unpack() (
  [ "$(uname -s)-$(uname -m)" = "Linux-$machine" ] ||
    fail "this file does not run here" "it is for Linux on $machine, and this is $(uname -s) on $(uname -m)" "Take the file for this machine."
  umask 077
  mkdir -p "$home" && part=$(mktemp -d "$home/part.XXXXXX") ||
    fail "cannot be unpacked" "$home cannot be written" "Name another folder: XDG_DATA_HOME=/path"
  trap 'rm -rf "$part"' EXIT
  trap 'exit 130' INT TERM HUP
  tail -c "+$offset" "$0" | tar -xzf - -C "$part" ||
    fail "cannot be unpacked" "this file is not whole, or the disk of $home is full" "Copy the file again."
  # If another start was faster, its folder stays.
  mv -T "$part/loopdash" "$home/$name" 2>/dev/null || [ -d "$home/$name" ] ||
    fail "cannot be unpacked" "$home cannot be written" "Name another folder: XDG_DATA_HOME=/path"
)

node=$home/$name/bin/node
{ [ -x "$node" ] && [ -O "$node" ]; } || unpack || exit
exec "$node" "$home/$name/dist/loopdash.js" "$@"
