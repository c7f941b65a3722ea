#!/usr/bin/env bash
# Runs tests as an ordinary user: `scripts/as-ordinary-user.sh [vitest's arguments]`, as root. They run in a copy of this tree that
# belongs to the user `loopdash-tests`, which is created if it does not exist. With CI=true, the numbers and the failures go to
# .ci/out/ordinary-user. Needs node_modules.
set -euo pipefail
cd "$(dirname "$0")/.."

# The operating system restricts root differently from other users: file access, file modes, namespaces. Everything that depends on
# these is here. How results are judged, what agents claim and how a run is journalled is the same code for every user.
families=(test/adapters/sandbox test/adapters/vcs/capture test/adversary/escape test/adversary/git/leftovers
  test/adversary/false-done/reaching-out test/adversary/engine/on-disk)
[ "$#" -gt 0 ] && families=("$@")

if [ "$(id -u)" -ne 0 ]; then
  echo "Only root can start tests as another user. You are one already: npm test -- ${families[*]}" >&2
  exit 2
fi
user=loopdash-tests
id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/sh "$user"
home=$(getent passwd "$user" | cut -d: -f6)
tree=$(mktemp -d "$home/tree-XXXXXX")
trap 'rm -rf "$tree"' EXIT

# Everything except git's data, leftovers of tests, and the vendors' programs, which these tests do not run.
shopt -s dotglob
for path in *; do
  case "$path" in .git | .ci | dist) ;; *) cp -a --reflink=auto "$path" "$tree/" ;; esac
done
mkdir -p "$tree/.ci"
chown -R "$user:" "$tree"

environment=("HOME=$home" "USER=$user" "LOGNAME=$user" "TERM=${TERM:-dumb}" "LANG=${LANG:-C.UTF-8}"
  "PATH=$tree/node_modules/.bin:$PATH")
[ -n "${CI:-}" ] && environment+=("CI=$CI")
# In .ci/run, root has seen each attack succeed without its defence.
[ -n "${LOOPDASH_TEST_HOLES:-}" ] && environment+=("LOOPDASH_TEST_HOLES=$LOOPDASH_TEST_HOLES")
code=0
(
  cd "$tree"
  setpriv --reuid "$user" --regid "$user" --init-groups env -i "${environment[@]}" \
    sh -c 'node scripts/build.ts && exec node scripts/test.ts "$@"' sh "${families[@]}" </dev/null
) || code=$?
out=.ci/out/ordinary-user
rm -rf "$out"
mkdir -p "$out"
for file in numbers failures; do [ -f "$tree/.ci/out/$file" ] && cp "$tree/.ci/out/$file" "$out/"; done
exit "$code"
