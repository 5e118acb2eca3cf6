"""Source lines of instructions, from a shared object's DWARF line table.

Read in Python because the process that runs a submission may start no other
(``addr2line``). Submissions are compiled with ``-gdwarf-4 -gz=none``; tables of
other versions are skipped.
"""

from __future__ import annotations

import struct
from pathlib import Path, PurePosixPath

# Opcodes of the DWARF 4 line number program (section 6.2.5 of the standard).
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE = 1, 2, 3, 4
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


def source_line(path: Path, offset: int, inlined: frozenset[str] = frozenset()) -> tuple[str, int]:
    """File name and 1-based line of the instruction at ``offset`` of a shared object.

    Args:
        path: the shared object.
        offset: from its load address.
        inlined: names of headers whose functions are inlined into the code of
            interest; an instruction of theirs counts as the statement before it.

    Returns ("", 0) where the object cannot be read or says nothing about it.
    """
    try:
        table = _section(path.read_bytes(), b".debug_line")
        return _search(table, offset, inlined)
    except (OSError, struct.error, IndexError, ValueError):
        return "", 0


def _section(elf: bytes, name: bytes) -> bytes:
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a little-endian 64-bit ELF file")
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count, names_index = struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, start + i * size) for i in range(count)]
    names_start = headers[names_index][4]
    for name_offset, _, _, _, where, nbytes in headers:
        first = names_start + name_offset
        if elf[first : elf.index(b"\0", first)] == name:
            return elf[where : where + nbytes]
    raise ValueError("no such section")


class _Reader:
    def __init__(self, data: bytes, position: int) -> None:
        self.data, self.position = data, position

    def take(self, code: str) -> int:
        (value,) = struct.unpack_from(f"<{code}", self.data, self.position)
        self.position += struct.calcsize(f"<{code}")
        return int(value)

    def text(self) -> str:
        end = self.data.index(b"\0", self.position)
        found, self.position = self.data[self.position : end], end + 1
        return found.decode(errors="replace")

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def signed(self) -> int:
        start = self.position
        value = self.unsigned()
        bits = 7 * (self.position - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value


def _search(table: bytes, offset: int, inlined: frozenset[str]) -> tuple[str, int]:
    position = 0
    while position + 4 <= len(table):
        reader = _Reader(table, position)
        end = reader.take("I") + reader.position
        if reader.take("H") == 4:
            found = _search_unit(reader, end, offset, inlined)
            if found:
                return found
        position = end
    return "", 0


def _search_unit(
    reader: _Reader, end: int, offset: int, inlined: frozenset[str]
) -> tuple[str, int] | None:
    program = reader.take("I") + reader.position
    step, _, _ = reader.take("B"), reader.take("B"), reader.take("B")  # step, ops, is_stmt
    line_base, line_range, opcode_base = reader.take("b"), reader.take("B"), reader.take("B")
    operands = [reader.take("B") for _ in range(opcode_base - 1)]
    while reader.text():
        pass  # include directories
    files = [""]
    while name := reader.text():
        files.append(PurePosixPath(name).name)
        reader.unsigned(), reader.unsigned(), reader.unsigned()

    reader.position = program
    address, file, line = 0, 1, 1
    start: int | None = None  # address of the previous row of this sequence
    place = ("", 0)  # the last row's file and line, or those of the statement it is inlined into
    while reader.position < end:
        opcode, row, last = reader.take("B"), False, False
        if opcode >= opcode_base:
            address += (opcode - opcode_base) // line_range * step
            line += line_base + (opcode - opcode_base) % line_range
            row = True
        elif opcode == 0:
            length = reader.unsigned()
            after = reader.position + length
            extended = reader.take("B")
            if extended == _SET_ADDRESS:
                address = reader.take("Q")
            row = last = extended == _END_SEQUENCE
            reader.position = after
        elif opcode == _COPY:
            row = True
        elif opcode == _ADVANCE_PC:
            address += reader.unsigned() * step
        elif opcode == _ADVANCE_LINE:
            line += reader.signed()
        elif opcode == _SET_FILE:
            file = reader.unsigned()
        elif opcode == _CONST_ADD_PC:
            address += (255 - opcode_base) // line_range * step
        elif opcode == _FIXED_ADVANCE_PC:
            address += reader.take("H")
        else:
            for _ in range(operands[opcode - 1]):
                reader.unsigned()
        if row:
            if start is not None and start <= offset < address and place[1]:
                return place
            start = address
            if line and files[file] not in inlined:
                place = (files[file], line)
        if last:
            address, file, line, start, place = 0, 1, 1, None, ("", 0)
    return None
