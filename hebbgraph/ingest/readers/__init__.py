"""One format a module; each has ``read(data, name) -> Iterator[Document]``."""
