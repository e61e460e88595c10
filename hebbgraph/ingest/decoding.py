"""Bytes of unknown encoding as text, or a reason why not."""

from __future__ import annotations

import codecs
from typing import Final

from hebbgraph.errors import InputError

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What is guessed if it is no Unicode; of equally likely ones the first. CP949 holds all of EUC-KR.
_GUESSED: Final = ("cp949", "cp1252", "cp932", "gb18030", "big5", "cp1251")
_SAMPLED: Final = 1 << 16
_CONTROLS: Final = bytes(sorted({*range(32)} - {7, 8, 9, 10, 12, 13, 27}))


def decoded(data: bytes, name: str, *, encoding: str | None = None) -> tuple[str, str]:
    """Text of `data`, and the encoding it was in.

    A byte order mark decides; else UTF-8 if it is valid; else one of CP949 (EUC-KR), CP1252,
    CP932, GB 18030, Big5 and CP1251 by how likely its text is.

    Parameters
    ----------
    data : of a text file
    name : what messages call it
    encoding : use this one, and nothing else

    Raises
    ------
    InputError
        it is binary, or is no text of any known encoding, or not of the given one

    Examples
    --------
    >>> decoded("김철수가 검색팀을".encode("euc-kr"), "a.txt")
    ('김철수가 검색팀을', 'cp949')
    """
    if encoding is not None:
        try:
            return data.decode(encoding), encoding
        except (UnicodeDecodeError, LookupError) as error:
            raise InputError(f"{name}: expected text in {encoding}; {error}") from None
    for mark, marked in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(marked), marked
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{name}: begins like {marked} and is not; {error.reason} at byte {error.start}"
                ) from None
    if _is_binary(data):
        raise InputError(f"{name}: expected text, came binary data")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    return _guessed(data, name)


def _is_binary(data: bytes) -> bool:
    head = data[:_SAMPLED]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return b"\0" in head or controls * 100 > len(head)


def _guessed(data: bytes, name: str) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    found = from_bytes(data[:_SAMPLED], cp_isolation=list(_GUESSED), enable_fallback=False)
    likely = sorted(
        (match for match in found if match.encoding in _GUESSED),
        key=lambda match: (match.chaos, -match.coherence, _GUESSED.index(match.encoding)),
    )
    for match in likely:
        try:
            return data.decode(match.encoding), match.encoding
        except UnicodeDecodeError:
            continue
    raise InputError(
        f"{name}: expected text, came bytes of no known encoding; save it as UTF-8, "
        "or say which with encoding="
    )
