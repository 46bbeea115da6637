"""deploy/local/packages, with an apt that only says what it would do. Needs no stack."""

import os
import subprocess

from harness.stack import TREE

FAKES = {
    'dpkg-query': 'echo gcc installed',
    'id': 'echo 1000',
    'sudo': 'shift; case $1 in env) shift 2; exec "$@" ;; esac',  # sudo -n COMMAND: only apt is run
    'apt-get': '''case "$*" in
        *--simulate*) echo "Inst perl-base [5.36-7+u2] (5.36-7+u4 Debian:12 [amd64]) []"; echo "Inst lintian (2.116 Debian:12 [all])" ;;
        *" install "*) echo "apt $*" ;;
        esac'''}


def test_packages_that_are_upgraded_for_missing_ones_are_named_first(tmp_path):
    for name, text in FAKES.items():
        (tmp_path / name).write_text(f'#!/bin/sh\n{text}\n')
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([TREE / 'deploy/local/packages', '--deb'], env={'PATH': f'{tmp_path}{os.pathsep}{os.environ["PATH"]}'},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    installing, upgrading, apt = done.stdout.splitlines()
    assert installing.startswith('installing ') and ' libpq-dev' in installing and ' gcc' not in installing
    assert upgrading == 'upgrading perl-base from 5.36-7+u2 to 5.36-7+u4, as they need it'
    assert ' --no-remove ' in apt and apt.endswith(installing.removeprefix('installing'))
