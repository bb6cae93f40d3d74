"""Arrow structs of a producer are released exactly once, whatever becomes of the call."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from doisift import extract_batch, normalize_batch


class Schema(ctypes.Structure):
    """struct ArrowSchema"""


class Array(ctypes.Structure):
    """struct ArrowArray"""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]
FILL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
Stream._fields_ = [
    ("get_schema", FILL),
    ("get_next", FILL),
    ("get_last_error", ERROR),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]

DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Producer:
    """Exports an array or a stream of them, and counts what is released."""

    def __init__(self, format: bytes = b"u", texts: int = 2, fail: bool = False) -> None:
        self.released = {"schema": 0, "array": 0, "stream": 0}
        self.made = {"schema": 0, "array": 0, "stream": 0}
        self.format, self.texts, self.fail = format, texts, fail
        self.left = 3
        self.kept: list[Any] = []
        self.offsets = (ctypes.c_int32 * (texts + 1))(*(9 * row for row in range(texts + 1)))
        self.data = ctypes.create_string_buffer(b"10.5555/a" * texts)
        pointers = [None, ctypes.addressof(self.offsets), ctypes.addressof(self.data)]
        self.buffers = (ctypes.c_void_p * 3)(*pointers)

    def release(self, what: str, kind: Any) -> Any:
        def release(place: int) -> None:
            self.released[what] += 1
            kind.from_address(place).release = RELEASE()

        self.made[what] += 1
        self.kept.append(RELEASE(release))
        return self.kept[-1]

    def schema(self) -> Schema:
        return Schema(self.format, b"", None, 2, 0, None, None, self.release("schema", Schema), None)

    def array(self) -> Array:
        buffers = ctypes.cast(self.buffers, ctypes.POINTER(ctypes.c_void_p))
        release = self.release("array", Array)
        return Array(self.texts, 0, 0, 3, 0, buffers, None, None, release, None)

    def capsule(self, name: bytes, value: Any) -> object:
        self.kept.append((value, name))
        return new_capsule(ctypes.addressof(value), name, None)


class ArrayProducer(Producer):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self.capsule(b"arrow_schema", self.schema()), self.capsule(b"arrow_array", self.array())


class StreamProducer(Producer):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        def get_schema(_stream: int, place: int) -> int:
            self.put(place, self.schema())
            return 0

        def get_next(_stream: int, place: int) -> int:
            self.left -= 1
            if self.left < 0 and self.fail:
                return 5
            self.put(place, self.array() if self.left >= 0 else Array())
            return 0

        reason = ctypes.create_string_buffer(b"the disk is gone")
        calls = [FILL(get_schema), FILL(get_next), ERROR(lambda _stream: ctypes.addressof(reason))]
        self.kept.append(calls)
        stream = Stream(*calls, self.release("stream", Stream), None)
        return self.capsule(b"arrow_array_stream", stream)

    def put(self, place: int, value: Any) -> None:
        self.kept.append(value)
        ctypes.memmove(place, ctypes.addressof(value), ctypes.sizeof(value))


@pytest.fixture(params=[extract_batch, normalize_batch])
def work(request: Any) -> Iterator[Any]:
    yield request.param


def check(producer: Producer) -> None:
    gc.collect()
    assert producer.released == producer.made
    assert sum(producer.made.values()) > 0


def test_an_array_that_is_read(work: Any) -> None:
    producer = ArrayProducer()
    assert len(work(producer)) == 2
    check(producer)


def test_an_array_of_a_wrong_type(work: Any) -> None:
    producer = ArrayProducer(b"l")
    with pytest.raises(TypeError):
        work(producer)
    check(producer)


@pytest.mark.parametrize("length, offset", [(-1, 0), (2, -1), (2, 2**62), (0, 2**62), (2**62, 0), (2**63 - 1, 2**63 - 1)])
def test_an_array_of_an_impossible_length_or_offset(work: Any, length: int, offset: int) -> None:
    producer = ArrayProducer()
    array = producer.array()
    array.length, array.offset = length, offset
    producer.array = lambda: array  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="outside of its buffer"):
        work(producer)
    check(producer)


def test_an_array_that_is_released_already(work: Any) -> None:
    producer = ArrayProducer()
    array = producer.array()
    array.release(ctypes.addressof(array))
    producer.array = lambda: array  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="released already"):
        work(producer)
    check(producer)


def test_a_malformed_array(work: Any) -> None:
    producer = ArrayProducer()
    producer.offsets[1] = 99
    with pytest.raises(ValueError, match="outside of its buffer"):
        work(producer)
    check(producer)


def test_a_stream_that_is_read_to_its_end(work: Any) -> None:
    producer = StreamProducer()
    assert [len(array) for array in work(producer)] == [2, 2, 2]
    check(producer)


def test_a_stream_that_is_dropped_early(work: Any) -> None:
    producer = StreamProducer()
    stream = work(producer)
    next(stream)
    assert producer.released["stream"] == 0
    del stream
    check(producer)


def test_a_stream_that_is_closed(work: Any) -> None:
    producer = StreamProducer()
    with work(producer) as stream:
        next(stream)
    assert producer.released["stream"] == 1
    assert list(stream) == []
    check(producer)


def test_a_stream_of_a_wrong_type(work: Any) -> None:
    producer = StreamProducer(b"+s")
    with pytest.raises(TypeError):
        work(producer)
    check(producer)


def test_a_stream_that_fails(work: Any) -> None:
    producer = StreamProducer(fail=True)
    stream = work(producer)
    with pytest.raises(OSError, match="the disk is gone"):
        list(stream)
    check(producer)


def test_capsules_that_nobody_reads(work: Any) -> None:
    producer = StreamProducer()
    stream = work(producer)
    capsules = [stream.__arrow_c_stream__(), stream.__arrow_c_stream__(), stream.__arrow_c_schema__()]
    del stream
    assert producer.released["stream"] == 0
    del capsules
    check(producer)
