"""A small disk for the stack alone, in memory, that can be full: then it is no larger than what lies on it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SIZE = 2 << 30
ROOM = 64 << 10  # that is left when it is full


class NoDisk:
    """The stack lies where everything else lies."""
    can_fill = False


class Disk:
    """Where it may be mounted. The folder is there in any case; `can_fill` says whether it is a disk of its own."""

    def __init__(self):
        # A path that the database's user may go.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='usher-chaos-'))
        self.folder.chmod(0o755)
        self.can_fill = self._mount('mount', '-t', 'tmpfs', '-o', f'size={SIZE},mode=755', 'tmpfs')

    def _mount(self, *command):
        return subprocess.run([*command, str(self.folder)], check=False, capture_output=True).returncode == 0

    def _resize(self, size):
        return self._mount('mount', '-o', f'remount,size={size}')

    def fill(self):
        """The more is written meanwhile, the larger it has to be."""
        while self.can_fill:
            state = os.statvfs(self.folder)
            if self._resize((state.f_blocks - state.f_bfree) * state.f_frsize + ROOM):
                return
            time.sleep(0.01)

    def empty(self):
        if self.can_fill:
            assert self._resize(SIZE), f'could not enlarge {self.folder}'

    def close(self):
        if self.can_fill:
            subprocess.run(['umount', '-l', str(self.folder)], check=True)
        shutil.rmtree(self.folder)
