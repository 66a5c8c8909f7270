#!/bin/sh
# Makes .venv with this project in it: sh setup.sh [EXTRA]. Called by the Makefile; does nothing where nothing changed.
# PYTHON chooses the interpreter; without it the first of python3.12, python3.11 and python3 that fits is taken.
set -eu
cd "$(dirname "$0")"
extra=${1:-}
version='import sys; v = sys.version_info[:2]; print("%d.%d" % v); sys.exit(not (3, 11) <= v <= (3, 12))'

stop() {
    echo "$*" >&2
    exit 1
}

# An interpreter counts only if it runs: a pyenv shim can be on the path and fail.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        "$PYTHON" -c "$version" >/dev/null 2>&1 || stop "PYTHON=$PYTHON is not a Python 3.11 or 3.12 that runs."
        return
    fi
    for PYTHON in python3.12 python3.11 python3; do
        if "$PYTHON" -c "$version" >/dev/null 2>&1; then return; fi
    done
    stop "No Python 3.11 or 3.12 was found; install one, or name one: make PYTHON=/path/to/python3.12"
}

make_venv() {
    release=$("$PYTHON" -c "$version")
    echo "Making .venv with Python $release ..."
    if ! "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null; then
        package=python$release-venv
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            stop "Python $release has no venv module; on Debian and Ubuntu: sudo apt-get install $package"
        fi
        echo "Installing $package ..."
        log=$( (apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$package") 2>&1) ||
            stop "$package could not be installed ($(echo "$log" | tail -n 1)); name another Python: make PYTHON=/path"
    fi
    "$PYTHON" -m venv --clear .venv
}

# A .venv is kept if its own interpreter still runs, has pip, and is of the release that PYTHON asks for.
venv_fits() {
    .venv/bin/python -m pip --version >/dev/null 2>&1 || return 1
    [ -z "${PYTHON:-}" ] || [ "$("$PYTHON" -c "$version")" = "$(.venv/bin/python -c "$version")" ]
}

# What an installation depends on. The folder is part of it: a copied .venv would still run the code it was copied from.
state="$PWD $(cat pyproject.toml constraints.txt | cksum)"

installed() {
    [ "$(cat ".venv/installed-${1:-core}" 2>/dev/null)" = "$state" ]
}

[ -z "${PYTHON:-}" ] || find_python
if [ ! -x .venv/bin/python ] || ! installed "$extra" || [ -n "${PYTHON:-}" ]; then
    if ! venv_fits; then
        find_python
        make_venv
    fi
fi
if ! installed "$extra"; then
    echo "Installing the project${extra:+ with [$extra]} ..."
    .venv/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e ".${extra:+[$extra]}"
    echo "$state" >.venv/installed-core
    echo "$state" >".venv/installed-${extra:-core}"
fi
