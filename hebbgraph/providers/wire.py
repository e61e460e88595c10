"""What the clients of HTTP servers share."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from hebbgraph.errors import ParameterError

DIRECT: dict[str, None] = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))
"""httpx mounts: no proxy stands between this machine and itself, whatever HTTP_PROXY says."""

CONNECT_SECONDS = 5.0
_LONGEST = 300


def one_line(text: object, *secrets: str | None) -> str:
    """What a server said, short and on one line, with ``secrets`` masked."""
    line = " ".join(str(text).split())
    for secret in secrets:
        if secret:
            line = line.replace(secret, "***")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def shown_url(name: str, url: str) -> str:
    """``url`` for messages: without a password, with a scheme.

    Raises
    ------
    ParameterError
        the URL cannot be read
    """
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError as error:
        raise ParameterError(f"{name}: expected a URL, as in http://host:port; {error}") from None
    if parts.scheme not in ("http", "https"):
        raise ParameterError(f"{name}: expected a URL of http or https, got {parts.scheme}://")
    host = parts.hostname or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    place = host if port is None else f"{host}:{port}"
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
