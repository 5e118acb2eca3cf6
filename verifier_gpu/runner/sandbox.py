"""What a candidate's process may no longer do once the submission runs, enforced by the kernel.

seccomp  no new processes or programs, no network, no signals to others, no
         reading or tracing of other processes; threads are allowed
landlock no writing to files outside its scratch folder, /dev and its own folder of /proc
         (where CUDA's driver writes when it starts)
capset   no privileges of root, should the verifier run as root

Each layer is taken where the kernel has it (`missing` says which it lacks). The
verdict does not depend on any of them: the split into processes keeps the
judge honest, these keep the machine.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from pathlib import Path

_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_CLONE_THREAD = 0x00010000
_AF_UNIX = 1
_EPERM, _ENOSYS = 1, 38

_RET_ALLOW = 0x7FFF0000
_RET_ERRNO = 0x00050000
_LOAD = 0x20  # load a 32-bit word of struct seccomp_data
_EQUAL, _GREATER_EQUAL, _ANY_BIT, _RETURN = 0x15, 0x35, 0x45, 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENT = 0, 4, 16

#: audit architecture and system call numbers: (x86-64, aarch64). -1: there is no such call.
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_REFUSED: dict[str, tuple[int, int]] = {
    "fork": (57, -1),
    "vfork": (58, -1),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),  # could open sockets past this filter
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "chmod": (90, -1),  # landlock does not know modes and owners
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "lchown": (94, -1),
    "fchown": (93, 55),
    "fchownat": (260, 54),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_SOCKET, _KILL, _TGKILL = (41, 198), (62, 129), (234, 131)

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION = 1
_RULE_PATH_BENEATH = 1
#: Access rights of landlock ABI 1 that change the file system: write, remove, make.
_WRITES = (1 << 1) | sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14


def confine(scratch: Path) -> list[str]:
    """Gives up what a kernel does not need, for this process and for good.

    Args:
        scratch: the folder that stays writable.

    Returns:
        The layers that this machine's kernel lacks.
    """
    missing = []
    for name, layer in (
        ("landlock", lambda: _landlock([scratch, Path("/dev"), Path("/proc/self")])),
        ("capabilities", _drop_capabilities),
        ("seccomp", _seccomp),
    ):
        try:
            layer()
        except OSError as error:
            missing.append(f"{name}: {error.strerror}")
    return missing


_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _seccomp() -> None:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise OSError(_ENOSYS, f"no filter for {machine}")
    program = _program(_ARCHITECTURES[machine], _COLUMN[machine], os.getpid())
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: a count, padding, a pointer.
    header = struct.pack("=HxxxxxxQ", len(program), ctypes.addressof(buffer))
    _check(
        _libc.prctl(
            _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.create_string_buffer(header), 0, 0
        )
    )


_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def _program(architecture: int, column: int, pid: int) -> list[_Instruction]:
    """The filter, in classic BPF. Every block ends in a return or falls to the next."""
    refuse = (_RETURN, 0, 0, _RET_ERRNO | _EPERM)
    allow = (_RETURN, 0, 0, _RET_ALLOW)
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        refuse,
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_GREATER_EQUAL, 0, 1, 0x40000000),  # the x32 interface of x86-64
        refuse,
    ]
    for numbers in _REFUSED.values():
        number = numbers[column]
        if number >= 0:
            program += [(_EQUAL, 0, 1, number), refuse]
    program += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _RET_ERRNO | _ENOSYS)]
    for numbers, test in (
        (_CLONE, (_ANY_BIT, 0, 1, _CLONE_THREAD)),
        (_SOCKET, (_EQUAL, 0, 1, _AF_UNIX)),
        (_KILL, (_EQUAL, 0, 1, pid)),
        (_TGKILL, (_EQUAL, 0, 1, pid)),
    ):
        program += [
            (_EQUAL, 0, 4, numbers[column]),
            (_LOAD, 0, 0, _OFFSET_ARGUMENT),
            test,
            allow,
            refuse,
        ]
    return [*program, allow]


def _landlock(writable: list[Path]) -> None:
    version = _check(_libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION))
    handled = _WRITES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    attributes = ctypes.create_string_buffer(struct.pack("=Q", handled), 8)
    ruleset = _check(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(8), 0))
    try:
        for path in writable:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = ctypes.create_string_buffer(struct.pack("=Qi", handled, parent), 12)
                _check(_libc.syscall(_LANDLOCK_ADD, ruleset, _RULE_PATH_BENEATH, rule, 0))
            finally:
                os.close(parent)
        _check(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0))
    finally:
        os.close(ruleset)


def _drop_capabilities() -> None:
    version_3 = 0x20080522
    header = ctypes.create_string_buffer(struct.pack("=Ii", version_3, 0), 8)
    _check(_libc.capset(header, ctypes.create_string_buffer(24)))
