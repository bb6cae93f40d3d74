"""Signatures of commands for macOS: on arm64 the system kills a program whose bytes do not agree with its signature."""
import hashlib, struct

HEADER = 32
CODE_SIGNATURE = 0x1D
SIGNATURE, DIRECTORY = 0xFADE0CC0, 0xFADE0C02
SHA256 = 2


def load_commands(program):
    """-> (kind, offset) of each load command of a Mach-O file of 64 bits"""
    magic, *_, count, _, _, _ = struct.unpack_from("<8I", program)
    if magic != 0xFEEDFACF:
        raise ValueError("not a Mach-O file of 64 bits")
    at = HEADER
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", program, at)
        yield kind, at
        at += size


def directory(program):
    """-> the offset of the code directory; None if there is no signature"""
    for kind, at in load_commands(program):
        if kind == CODE_SIGNATURE:
            (start,) = struct.unpack_from("<I", program, at + 8)
            magic, _, count = struct.unpack_from(">3I", program, start)
            blobs = (start + struct.unpack_from(">2I", program, start + 12 + 8 * number)[1] for number in range(count))
            if magic == SIGNATURE:
                return next((blob for blob in blobs if struct.unpack_from(">I", program, blob)[0] == DIRECTORY), None)
    return None


def agrees(program):
    """-> whether each page has the hash that the signature states"""
    at = directory(program)
    if at is None:
        return False
    hashes, _, _, count, limit = struct.unpack_from(">5I", program, at + 16)
    size, kind, _, page = struct.unpack_from(">4B", program, at + 36)
    pages = [program[start : min(start + (1 << page), limit)] for start in range(0, limit, 1 << page)]
    stated = [program[at + hashes + number * size :][:size] for number in range(count)]
    return kind == SHA256 and [hashlib.sha256(text).digest() for text in pages] == stated
