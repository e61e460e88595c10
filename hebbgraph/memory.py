"""Memory: the agent builder's door to a store."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import tables
from hebbgraph.errors import InputError, StoreError
from hebbgraph.graph import Graph
from hebbgraph.linked import Linked
from hebbgraph.store import Store

if TYPE_CHECKING:
    from hebbgraph.ingest.adding import Progress
    from hebbgraph.ingest.reading import Item, Skipped
    from hebbgraph.ingest.reports import AddReport, CognifyReport, MemifyReport, PruneReport
    from hebbgraph.plasticity.report import PlasticityReport
    from hebbgraph.providers.protocols import Completer, Embedder
    from hebbgraph.retrieval.hits import Found, Hit
    from hebbgraph.retrieval.opened import Opened
    from hebbgraph.retrieval.relevance import Weights


SEARCH = "search"
"""Kind of the episode that a recorded search leaves."""


class Memory(Linked):
    """A memory of text on top of a store; see ``docs/memory.md``.

    Every verb goes on from what is there and can be called again at any time: what has not changed
    costs next to nothing and commits nothing.  The verbs for types, relations and edges stated by
    hand are in :class:`~hebbgraph.linked.Linked`.

    Parameters
    ----------
    path : folder of the store; where nothing stands an empty one is made

    Attributes
    ----------
    store : the :class:`~hebbgraph.store.Store` it lives in

    Examples
    --------
    >>> import tempfile, hebbgraph
    >>> memory = hebbgraph.Memory(tempfile.mkdtemp() + "/data.lance")
    >>> memory.add({"id": "ada", "text": "Ada Lovelace worked with Charles Babbage."}).added
    1
    >>> memory.cognify().entities
    2
    >>> memory.cognify().changed
    False
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if "://" not in os.fspath(path) and _is_free(Path(path)):
            none = pa.array([], pa.string())
            Store.create(path, Graph.from_edges(none, none), operation="create")
        self.store = Store(path)
        self._opened: tuple[tuple[Any, ...], Opened] | None = None
        self._embedder: Embedder | None = None

    def __repr__(self) -> str:
        return f"Memory({str(self.store.path)!r})"

    def add(
        self,
        items: Item | Iterable[Item],
        *,
        node_set: str | Sequence[str] | None = None,
        max_tokens: int = 256,
        overlap: int = 0,
        encoding: str | None = None,
        remove_missing: bool = False,
        skipped: Skipped | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Read documents, cut them into passages, and commit both.

        A document whose id is known and that differs replaces what is there; one that does not
        differ costs its reading.  Records gone from a file that is read again are removed.

        Parameters
        ----------
        items : paths, globs, folders, texts, mappings ({"id", "title", "text", "time", …}), one or
            many; see :func:`hebbgraph.ingest.reading.documents`
        node_set : names of sets that the documents belong to, in place of those they had
        max_tokens, overlap : see :func:`hebbgraph.ingest.passages.passages`
        encoding, skipped : see :func:`hebbgraph.ingest.reading.documents`
        remove_missing : remove documents of the folders given whose files are gone
        progress : called with what is being done

        Raises
        ------
        InputError
            an item cannot be read; then nothing is added
        OntologyError
            a document that says its kind is not what the ontology says of that kind; likewise
        """
        from hebbgraph.ingest.adding import add

        return add(
            self.store, items, node_set=node_set, max_tokens=max_tokens, overlap=overlap,
            encoding=encoding, remove_missing=remove_missing, skipped=skipped, progress=progress,
        )  # fmt: skip

    def remove(self, ids: str | Iterable[str]) -> AddReport:
        """Remove documents with what only they supported.

        Passages go at once; where the memory was cognified, so do entities, links and relations.

        Parameters
        ----------
        ids : of documents; one that ends a path also takes in its records and files

        Raises
        ------
        NodeNotFoundError
            there is no such document; then nothing is removed
        """
        from hebbgraph.ingest.adding import remove

        done = remove(self.store, ids)
        if done.changed and "cognified" in self.store.snapshot().memory:
            import dataclasses

            after = self.cognify()
            done = dataclasses.replace(
                done, snapshot=after.snapshot, seconds=done.seconds + after.seconds
            )
        return done

    def cognify(
        self,
        *,
        by: str | None = None,
        completer: Completer | None = None,
        openie: str | os.PathLike[str] | None = None,
        similar_by: Embedder | Literal[False] | None = None,
        functional: Collection[str] | None = None,
        workers: int = 4,
        progress: Progress | None = None,
    ) -> CognifyReport:
        """Make the graph that the documents state, and commit it.

        Nodes are documents, passages and entities; edges ``part_of``, ``mentions``, ``links`` (a
        passage to a document whose title it says) and relations between entities.  The graph is a
        function of the documents, whatever the order in which they came; weights that edges have
        learned are kept.

        Parameters
        ----------
        by : ``"rules"`` goes back to rules; None takes the model or file given, else the model that
            HEBBGRAPH_COMPLETER or the configuration file names, else what the last call took
        completer : a language model that finds entities and relations, one call a passage that it
            has not answered before; see :func:`hebbgraph.providers.choice.completer`
        openie : a published extraction that holds texts of the documents; see
            :func:`hebbgraph.ingest.openie.read_openie`
        similar_by : links entities of similar names, cosine ≥ 0.75; None keeps such links between
            entities that stay, False takes them away.  Vectors are kept with the store: names that
            the model has seen are not put to it again
        functional : relations of which a subject has one object at a time: a newer statement closes
            the older; None takes those of the configuration file, else what the last call took
        workers : calls of the model at a time, in [1, 64]
        progress : called with what is being done

        Raises
        ------
        ProviderError
            the model does not answer at all; answers so far are kept
        InputError
            the file is not of the format, or of other texts
        """
        from hebbgraph.ingest.cognify import cognify

        return cognify(
            self.store, by=by, completer=completer, openie=openie, similar_by=similar_by,
            functional=functional, workers=workers, progress=progress,
        )  # fmt: skip

    def memify(
        self, *, embedder: Embedder | None = None, progress: Progress | None = None
    ) -> MemifyReport:
        """Give passages vectors and indexes, tell duplicates, and commit that.

        What search reads of words and names is made too, where it is not there.

        Parameters
        ----------
        embedder : of the vectors; None takes HEBBGRAPH_EMBEDDER, else that of the configuration
            file, else one fitted on the corpus and kept with the store; see
            :func:`hebbgraph.providers.choice.embedder`
        progress : called with what is being done

        Raises
        ------
        ProviderError
            the model does not answer
        """
        from hebbgraph.ingest.memify import memify
        from hebbgraph.retrieval.kept import keep

        done = memify(self.store, embedder=embedder, progress=progress)
        if embedder is not None:
            # No name in a configuration may lead to it, and queries need the same.
            self._embedder, self._opened = embedder, None
        begun = time.perf_counter()
        keep(self.store, self.store.snapshot(), progress=progress)
        return dataclasses.replace(done, seconds=done.seconds + time.perf_counter() - begun)

    def plastify(self, **options: Any) -> PlasticityReport:
        """Run one pass and commit it; options as in :func:`hebbgraph.plastify`.

        After `cognify` links are discovered between entities unless ``node_types`` says otherwise.
        """
        return self.store.plastify(**options)

    def prune(self, *, keep: int | None = None) -> PruneReport:
        """Drop from disk what nothing needs: the memory knows what it knew before.

        That is versions that no snapshot names, snapshots but the newest ``keep``, answers of the
        model to texts that are gone, and word spaces, indexes and vectors of names that no snapshot
        needs.
        """
        from hebbgraph.ingest.prune import prune

        return prune(self.store, keep=keep)

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        search_type: str = "chunks",
        intent: str = "auto",
        **options: Any,
    ) -> list[Hit]:
        """The k passages that resonate most with a query, best first; see ``docs/retrieval.md``.

        All options are those of :meth:`find`, which has the same with the answer of a completer,
        what the passages state, the intent and a note.

        Raises
        ------
        ParameterError
            an option is outside its range
        """
        found = self.find(query, k=k, search_type=search_type, intent=intent, **options)
        return list(found.hits)

    def find(
        self,
        query: str,
        *,
        k: int = 10,
        search_type: str = "chunks",
        intent: str = "auto",
        node_set: str | Collection[str] | None = None,
        kind: str | Collection[str] | None = None,
        tags: str | Collection[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        as_of: datetime | str | None = None,
        weights: Weights | None = None,
        axes: Mapping[str, float] | None = None,
        context_tags: str | Collection[str] = (),
        synonyms: Iterable[Sequence[str]] | None = None,
        completer: Completer | None = None,
        now: datetime | None = None,
        record: bool = False,
    ) -> Found:
        """The k passages that resonate most with a query, and all that was found with them.

        What is searched is read once for a snapshot and kept in memory.  Filters hold before
        anything is ranked; one that names what is not there finds nothing, and the note says what
        there is.

        Parameters
        ----------
        query : any text; a blank one finds nothing
        k : at most this many hits, each passage once
        search_type : chunks, lexical, graph, graph_completion, rag_completion, summaries, temporal
            or similar
        intent : auto, or one of general, similar_decisions, past_failures, related_rules,
            reasoning_chain, context_explore
        node_set, kind, tags : look only among documents of any of these sets, of these kinds, with
            any of these tags
        since, until : look only among documents dated between, both included: moments with a time
            zone, or ISO 8601 text such as ``"2021-03"``
        as_of : what was known then: documents dated later are not found, facts that did not hold
            are not told, and a passage whose fact was superseded by then stands behind the one
            that superseded it
        weights : of the ways to relevance
        axes : weight by axis, in place of the intent's
        context_tags : of what the query comes from, compared with those of the documents
        synonyms : groups of words that stand for one another, beside those built in
        completer : a language model, for the two kinds with an answer and for summaries
        now : moment from which recency and relative times count, with a time zone; ``as_of``, else
            the clock, by default
        record : note that the hits were active together, as an episode of kind ``"search"`` whose
            id the result bears, for :meth:`feedback`

        Raises
        ------
        ParameterError
            an option is outside its range
        ProviderError
            the completer did not answer
        """
        from hebbgraph.retrieval.asking import ask
        from hebbgraph.retrieval.filters import Filters
        from hebbgraph.retrieval.opened import opened

        filters = Filters(
            node_set=node_set, kind=kind, tags=tags, since=since, until=until, as_of=as_of
        )
        while True:
            # Looked at before reading, so that a commit in between is seen the next time.
            state = tables.state(self.store.path, "snapshots")
            try:
                if self._opened is None or self._opened[0] != state:
                    self._opened = state, opened(self.store, self._embedder)
                found = ask(
                    self._opened[1], query, k=k, search_type=search_type, intent=intent,
                    weights=weights, filters=filters, axes=axes, context_tags=context_tags,
                    synonyms=synonyms, completer=completer, now=now,
                )  # fmt: skip
                break
            except StoreError:
                # Another process may have pruned what was being read.
                if tables.state(self.store.path, "snapshots") == state:
                    raise
        if not record or not found.hits:
            return found
        found = dataclasses.replace(found, id=uuid4().hex)
        nodes = [hit.passage_id for hit in found.hits]
        context = {"query": query, "intent": found.intent}
        self.record(nodes, time=now, kind=SEARCH, id=found.id, context=context)
        return found

    def feedback(
        self, result_id: str, *, useful: Sequence[str] = (), useless: Sequence[str] = ()
    ) -> None:
        """Say which passages of a recorded search helped; the next pass learns it.

        Useful ones succeed together: what joins them grows, and their importance.  Each useless
        one fails by itself: its importance falls.

        Parameters
        ----------
        result_id : ``Found.id``
        useful, useless : ids of passages that it found

        Raises
        ------
        InputError
            no search of that id was recorded, or it did not find a passage
        """
        rows = self.store.episodes()
        known = rows.filter((pc.field("id") == result_id) & (pc.field("kind") == SEARCH))
        if not known.num_rows:
            raise InputError(
                f"feedback: no recorded search {result_id!r}; `find(…, record=True)` records one"
            )
        found = {*known["nodes"][0].as_py()}
        for passage in (*useful, *useless):
            if passage not in found:
                raise InputError(f"feedback: search {result_id} did not find {passage!r}")
        told = [(list(useful), 1.0)] if useful else []
        told += [([passage], -1.0) for passage in useless]
        self.record_many(
            {"nodes": nodes, "outcome": outcome, "kind": "feedback", "context": result_id}
            for nodes, outcome in told
        )

    def graph(self, snapshot: int | None = None, *, as_of: datetime | None = None) -> Graph:
        """The graph of a snapshot, the newest by default.

        Parameters
        ----------
        as_of : leave out the facts that did not hold at that moment, aware
        """
        found = self.store.graph(snapshot)
        if as_of is None:
            return found
        from hebbgraph import check
        from hebbgraph.ingest.facts import as_of as held

        check.microseconds("as_of", as_of)
        return held(found, as_of)

    def record(self, nodes: Iterable[str | int], **options: Any) -> None:
        """Note that some nodes were active together; see :meth:`hebbgraph.Store.record`."""
        self.store.record(nodes, **options)

    def record_many(self, episodes: Any) -> int:
        """Record many episodes; see :meth:`hebbgraph.Store.record_many`."""
        return self.store.record_many(episodes)


def _is_free(path: Path) -> bool:
    try:
        return not path.exists() or (path.is_dir() and not any(path.iterdir()))
    except OSError:
        return False
