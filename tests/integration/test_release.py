"""What a release is made of. Needs no stack."""

import os
import re
import shutil
import subprocess

import pytest

from harness.stack import TREE

# As anybody's, and as none of this run's own.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(('GIT_', 'MAKE', 'BUILD'))} | {
    'GIT_AUTHOR_NAME': 'a', 'GIT_AUTHOR_EMAIL': 'a@b', 'GIT_COMMITTER_NAME': 'a', 'GIT_COMMITTER_EMAIL': 'a@b'}


def run(*words, cwd, **options):
    return subprocess.run(words, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, **options).stdout


def built(folder, *words):
    """The version that programs print which are built there, and whether it was written anew."""
    header = folder / 'build/release/generated/build.h'
    before = header.stat().st_mtime_ns if header.exists() else 0
    run('make', '-s', str(header.relative_to(folder)), *words, cwd=folder)
    return header.read_text().split('"')[1].partition(' ')[2], header.stat().st_mtime_ns != before


@pytest.fixture(name='clone')
def clone_fixture(tmp_path):
    """A repository of what the version is made of."""
    clone = tmp_path / 'clone'
    clone.mkdir()
    for name in ('Makefile', '.commit', '.gitattributes', '.gitignore', 'CHANGELOG.md'):
        shutil.copy(TREE / name, clone)
    run('git', 'init', '-q', cwd=clone)
    commit(clone)
    return clone


def commit(clone):
    run('git', 'add', '-A', cwd=clone)
    run('git', 'commit', '-q', '--allow-empty', '-m', 'x', cwd=clone)


def test_the_version_names_the_commit(clone):
    def head():
        return run('git', 'rev-parse', 'HEAD', cwd=clone).decode()[:10]
    assert built(clone) == (f'({head()})', True)
    assert built(clone) == (f'({head()})', False)
    with open(clone / '.gitignore', 'a') as file:
        file.write('/more\n')
    assert built(clone) == (f'({head()}+)', True)
    commit(clone)
    assert built(clone) == (f'({head()})', True)
    assert built(clone, 'COMMIT=told') == ('(told)', True)


def test_so_does_that_of_a_source_archive(clone, tmp_path):
    """Also below another repository, as where a package is built."""
    archive = run('git', 'archive', 'HEAD', cwd=clone)
    for folder in (tmp_path / 'archive', clone / 'build/archive'):
        folder.mkdir(parents=True)
        run('tar', '-x', cwd=folder, input=archive)
        assert built(folder)[0] == f"({run('git', 'rev-parse', 'HEAD', cwd=clone).decode()[:10]})"
    (tmp_path / 'archive/.commit').unlink()
    assert built(tmp_path / 'archive')[0] == ''


# Instead of make, where packages and image are to be built.
BUILDS = """#!/bin/sh
mkdir -p build/deb build/image
head -n 1 "$3/.commit" | tee build/deb/usher.deb >build/image/usher-"${3#build/usher-}".tar
"""


def test_a_release_is_made_of_the_source_archive(clone, tmp_path):
    (tmp_path / 'builds').write_text(BUILDS)
    (tmp_path / 'builds').chmod(0o755)
    release = ('make', '-s', 'release', f'MAKE={tmp_path}/builds')
    run(*release, cwd=clone)
    version = re.search(r'^VERSION +:= (.*)', (TREE / 'Makefile').read_text(), re.MULTILINE)[1]
    made = clone / f'build/release-{version}'
    assert sorted(path.name for path in made.iterdir()) == [
        'NOTES.md', 'SHA256SUMS', f'usher-{version}-image.tar', f'usher-{version}.tar.gz', 'usher.deb']
    run('sha256sum', '--check', '--strict', 'SHA256SUMS', cwd=made)
    head = run('git', 'rev-parse', 'HEAD', cwd=clone)
    assert (made / 'usher.deb').read_bytes() == (made / f'usher-{version}-image.tar').read_bytes() == head
    notes = (made / 'NOTES.md').read_text()
    assert notes.startswith(f'## [{version}]') and notes.count('\n## ') == 0
    (clone / 'CHANGELOG.md').write_text('not committed')
    assert subprocess.run(release, cwd=clone, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True,
                          check=False).stderr.startswith('release: commit first')
