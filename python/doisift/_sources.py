"""What users pass as sources, as the native part takes it."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Protocol, Union

    class Readable(Protocol):
        """A binary file object."""

        def read(self, size: int, /) -> bytes: ...

    class Openable(Protocol):
        """A file that is opened later, as `fsspec.open` gives it."""

        def open(self) -> Readable: ...

    File = Union[Readable, Openable]
    Source = Union[str, os.PathLike[str], File, tuple[str, File]]
    Item = Union[str, tuple[str, Readable]]


def items(paths: Source | Iterable[Source]) -> list[Item]:
    """The sources: paths, and names with file objects."""
    if isinstance(paths, (str, os.PathLike)) or _is_file(paths):
        return [_item(paths)]  # type: ignore[arg-type]
    return [_item(path) for path in paths]  # type: ignore[union-attr]


#: The schemes of addresses: object stores and web servers.
SCHEMES = ("s3://", "s3a://", "gs://", "az://", "azure://", "abfs://", "abfss://", "http://", "https://")


def is_address(path: str) -> bool:
    """Whether a path is the address of an object of a store, or of a file of a web server."""
    return path.lower().startswith(SCHEMES)


def must_exist(paths: Iterable[object], options: Mapping[str, object]) -> None:
    """Raises `FileNotFoundError` for a path that leads nowhere, unless `on_error` says what to do. Addresses are asked for later."""
    if options.get("on_error") is not None:
        return
    for path in paths:
        if isinstance(path, str) and (path == "-" or is_address(path)):
            continue
        if isinstance(path, (str, os.PathLike)) and not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(path))


def _item(source: Source) -> Item:
    if isinstance(source, tuple):
        name, file = source
        return name, _readable(file)
    if isinstance(source, (str, os.PathLike)):
        return os.fsdecode(source)
    if not _is_file(source):
        raise TypeError(f"a source is a path, a binary file object, or (name, file), not {type(source).__name__}")
    return _name(source), _readable(source)


def _is_file(source: object) -> bool:
    # Paths of pathlib have open() too, but no read(); they were sorted out before.
    return hasattr(source, "read") or hasattr(source, "open")


def _name(file: File) -> str:
    """The name of a file object: the URL or path that it was opened by."""
    for attribute in ("full_name", "path", "name", "url"):
        name = getattr(file, attribute, None)
        if isinstance(name, str) and name:
            return name
    raise ValueError(f"the {type(file).__name__} has no name; pass (name, file)")


def _readable(file: File) -> Readable:
    if hasattr(file, "open") and not hasattr(file, "read"):
        return _Later(file)
    return file  # type: ignore[return-value]


class _Later:
    """A file that is opened when it is first read, and closed at its end."""

    def __init__(self, file: Openable) -> None:
        self._file = file
        self._opened: Readable | None = None

    def read(self, size: int, /) -> bytes:
        if self._opened is None:
            self._opened = self._file.open()
        data = self._opened.read(size)
        if not data:
            close = getattr(self._opened, "close", None)
            if close is not None:
                close()
        return data
