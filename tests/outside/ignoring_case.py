"""A folder that ignores the case of names and keeps it, as on macOS and Windows.

``ignoring_case.py BACKING MOUNT renames`` gives an entry the name of the last rename to it, as these systems do.
``keeps`` in place of ``renames`` keeps the former name, as ext4 does: a rename that changes only the case is none.

A FUSE file system over an ordinary folder, run by Debian's Python with its package python3-fusepy, until it is
unmounted. Tests mount it by the fixture of the same name.
"""

import os
import sys
import unicodedata
from errno import EIO

from fusepy import FUSE, FuseOSError, Operations


def folded(name):
    """The name as it is compared: macOS ignores the composition of letters, too."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


class IgnoringCase(Operations):
    """Each step of a path is the entry of that name, whatever its case."""

    def __init__(self, backing, *, renames):
        self.backing = backing
        self.renames = renames

    def __call__(self, operation, path, *arguments):
        try:
            return super().__call__(operation, self.real(path), *arguments)
        except OSError as fault:
            raise FuseOSError(fault.errno or EIO) from fault

    def real(self, path):
        """The path in the backing folder; what is not there yet keeps its spelling."""
        location = self.backing
        for step in filter(None, path.split("/")):
            if not os.path.lexists(os.path.join(location, step)) and os.path.isdir(location):
                alike = (each for each in os.listdir(location) if folded(each) == folded(step))
                location = os.path.join(location, next(alike, step))
            else:
                location = os.path.join(location, step)
        return location

    def getattr(self, path, fh=None):
        status = os.lstat(path)
        names = ("st_ino", "st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_atime", "st_mtime", "st_ctime")
        return {name: getattr(status, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(path)]

    def access(self, path, amode):
        if not os.access(path, amode):
            raise FuseOSError(13)

    def rename(self, old, new):
        present = self.real(new)
        os.rename(old, present)
        if self.renames:
            os.rename(present, os.path.join(os.path.dirname(present), os.path.basename(new)))

    def symlink(self, target, source):
        os.symlink(source, target)

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(path, flags)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path, length)

    def release(self, path, fh):
        os.close(fh)

    def utimens(self, path, times=None):
        os.utime(path, times)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    chmod = staticmethod(os.chmod)
    chown = staticmethod(os.chown)
    mkdir = staticmethod(os.mkdir)
    readlink = staticmethod(os.readlink)
    rmdir = staticmethod(os.rmdir)
    unlink = staticmethod(os.unlink)


if __name__ == "__main__":
    FUSE(
        IgnoringCase(os.path.realpath(sys.argv[1]), renames=sys.argv[3] == "renames"),
        sys.argv[2],
        foreground=True,
        nothreads=True,
        use_ino=True,
        entry_timeout=0,
        attr_timeout=0,
        negative_timeout=0,
    )
