# Sourced by the scripts beside it: finds Python, makes .venv once, installs what is asked for when it is not there yet.
#
#   ensure_env NAME [EXTRA...]   NAME is what the messages begin with; EXTRA are extras of pyproject.toml
#   export_command               sets ANYTILE_COMMAND, unless the user has
#
# Everything it says goes to stderr, so that a script's stdout is only the program's. $PYTHON names another Python.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
venv="$root/.venv"

say() { printf '%s: %s\n' "$script" "$*" >&2; }
die() { printf '%s: error: %s\n' "$script" "$*" >&2; exit 1; }

# Prints a Python that can make our environment. Version managers leave commands on PATH that do not work: try each one.
find_python() {
  local candidate path seen=""
  for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3.12 python3.13 python3.14 python3; do
    path="$(command -v "$candidate" 2>/dev/null)" || continue
    "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 </dev/null || continue
    if "$path" -c 'import ensurepip, venv' >/dev/null 2>&1 </dev/null; then
      printf '%s\n' "$path"
      return 0
    fi
    seen="$path"
  done
  if [ -n "$seen" ]; then
    die "$seen cannot make environments; install its venv package (on Debian and Ubuntu: apt install python3-venv)"
  fi
  die "Python 3.11 or newer is needed and was not found; install it, or name one: PYTHON=/path/to/python3.11 ${script}"
}

make_venv() {
  local python
  python="$(find_python)" || exit 1
  say "creating .venv with $("$python" --version 2>&1)"
  mkdir -p "$venv" && : >"$venv/.unfinished" || die "cannot write to $root; the clone must be writable"
  "$python" -m venv "$venv" >&2 </dev/null || die "making .venv failed; see above"
  rm -f "$venv/.unfinished"
}

# What an installation depends on: its place (editable installs know it), the tables, the extra.
fingerprint() { { printf '%s\n' "$root" "$1"; cat "$root/pyproject.toml" "$root/constraints.txt"; } | cksum; }

pip_install() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -c "$root/constraints.txt" "$@" \
    >"$venv/install.log" 2>&1 </dev/null && return 0
  tail -n 15 "$venv/install.log" >&2
  die "installing failed (log: .venv/install.log); check the network and pip's index, then run it again"
}

install_missing() {
  local extra missing=""
  for extra in core "$@"; do
    [ "$(cat "$venv/.anytile-$extra" 2>/dev/null)" = "$(fingerprint "$extra")" ] || missing+="${missing:+,}$extra"
  done
  [ -n "$missing" ] || return 0
  say "installing anytile (${missing}); the first time takes a minute or two"
  local extras="${*}"
  pip_install setuptools
  pip_install --no-build-isolation --editable "$root${extras:+[${extras// /,}]}"
  for extra in core "$@"; do fingerprint "$extra" >"$venv/.anytile-$extra"; done
}

# Where a program is started in the folder that holds a clone named `anytile`, Python's search takes that folder for a
# namespace package, and asks setuptools' finder only where it finds nothing. A real package goes before such a folder
# wherever it lies on the path: so the environment's path ends with a folder that holds a link to ours, and nothing else.
link_package() {
  local site
  for site in "$venv"/lib/python*/site-packages; do
    [ -d "$site" ] && [ ! -e "$site/anytile-clone.pth" ] || continue
    mkdir -p "$venv/clone" && ln -sfn ../../anytile "$venv/clone/anytile" &&
      printf '../../../clone\n' >"$site/anytile-clone.pth" || die "cannot write to $venv; the clone must be writable"
  done
}

# Tells anytile how the user calls it from where he is: its hints begin with that.
export_command() {
  local here command="$venv/bin/anytile"
  here="$(pwd -P)"
  case "$command" in "${here%/}"/*) command="${command#"${here%/}"/}" ;; esac
  [ "$(command -v anytile)" != "$venv/bin/anytile" ] || command=anytile
  printf -v command '%q' "$command"
  export ANYTILE_COMMAND="${ANYTILE_COMMAND:-$command}"
}

ensure_env() {
  script="$1"
  shift
  # One installer at a time: the lock is on the clone's folder itself, and is let go before the program starts.
  exec 9<"$root"
  if command -v flock >/dev/null 2>&1 && ! flock --nonblock 9; then
    say "waiting for another installation in this clone"
    flock 9
  fi
  [ ! -e "$venv/.unfinished" ] || rm -rf "$venv"
  [ -e "$venv" ] || make_venv
  "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 </dev/null ||
    die ".venv is broken or older than Python 3.11; remove it and run this again: rm -rf '$venv'"
  install_missing "$@"
  link_package
  exec 9<&-
}
