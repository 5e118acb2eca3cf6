"""Anonymous files: memory with a descriptor that children inherit."""

from __future__ import annotations

import fcntl
import os
import weakref


class AnonymousFile:
    """A `memfd`, closed when nobody refers to it any more."""

    def __init__(self, name: str) -> None:
        self.fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._close = weakref.finalize(self, os.close, self.fd)

    def seal(self) -> None:
        """Makes the content final: nobody can write, grow or shrink it from now on."""
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, seals)

    @property
    def nbytes(self) -> int:
        return os.fstat(self.fd).st_size

    def close(self) -> None:
        self._close()
