"""A store tells what comes next from what it has lived through."""

from __future__ import annotations

import json
from datetime import timedelta

import numpy as np
import pytest
from click.testing import CliRunner
from strategies import MOMENT

import hebbgraph
from hebbgraph.cli.main import main
from hebbgraph.episodes import of_rows, rows_of
from hebbgraph.errors import InputError, NodeNotFoundError, ParameterError
from hebbgraph.plasticity.expectation import events_of

IDS = [f"page {k}" for k in range(8)]


@pytest.fixture
def lived(tmp_path):
    """Whoever comes to page 1 from page 0 goes on to page 3, from page 4 to page 2."""
    graph = hebbgraph.Graph.from_edges(
        [IDS[k] for k in range(8)], [IDS[(k + 1) % 8] for k in range(8)]
    )
    store = hebbgraph.Store.create(tmp_path / "lived.lance", graph)
    paths = np.random.default_rng(0).choice(2, 200)
    store.record_many(
        {
            "nodes": [IDS[k] for k in ((0, 1, 3), (4, 1, 2))[path]],
            "time": MOMENT + timedelta(hours=n),
        }
        for n, path in enumerate(paths)
    )
    return store


def test_it_takes_the_way_there_into_account(lived):
    later = MOMENT + timedelta(hours=201)
    for start, best in ((0, 3), (4, 2)):
        likely = lived.expect([IDS[start], IDS[1]], k=3, now=later)
        assert likely[0].node == IDS[best]
        assert likely[0].chance > 2 * likely[1].chance
        assert len(likely) == 3


def test_steps_are_in_order_of_time_whatever_the_order_of_recording():
    rows = rows_of(
        [
            {"nodes": ["2", "0"], "time": MOMENT},
            {"nodes": ["1", "2"], "time": MOMENT - timedelta(1)},
        ]
    )
    events = events_of(of_rows(rows, None, 3))
    assert list(zip(events.source.tolist(), events.target.tolist(), strict=True)) == [
        (1, 2),
        (2, 0),
    ]


def test_tune_fits_the_mix_and_keeps_it(lived, monkeypatch):
    from hebbgraph.plasticity import expectation, tuning

    chosen = hebbgraph.Tuning(
        options={}, changed=False, default=None, chosen=None, tiers=(), trials=()
    )
    monkeypatch.setattr(tuning, "tune", lambda *_, **__: chosen)
    monkeypatch.setattr(hebbgraph.Tuning, "to_dict", lambda _: {"tiers": []})
    fresh = lived.expect([IDS[0], IDS[1]], now=MOMENT)
    lived.tune()
    assert lived.current.tuned["mix"]["events"] > 0
    monkeypatch.setattr(expectation, "fit_mix", None)
    assert lived.expect([IDS[0], IDS[1]], now=MOMENT) == fresh
    before = lived.current.seq
    lived.record([IDS[0]])
    lived.plastify()
    assert lived.current.seq == before + 1
    assert lived.expect([IDS[0], IDS[1]], now=MOMENT)[0].node == IDS[3]


def test_too_little_use_is_said(store, lived):
    with pytest.raises(InputError, match="expected at least 100 recorded steps"):
        store.expect(["FastAPI"])
    with pytest.raises(NodeNotFoundError, match='no node "page 9"'):
        lived.expect(["page 9"])
    with pytest.raises(InputError, match="nodes: expected the nodes of the episode so far"):
        lived.expect([])
    with pytest.raises(ParameterError, match="k: expected"):
        lived.expect([IDS[0]], k=0)


def test_expect_from_the_command_line(lived):
    path = str(lived.path)
    result = CliRunner().invoke(main, ["expect", path, IDS[0], IDS[1], "-k", "2", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)[0]["node"] == IDS[3]
    shown = CliRunner().invoke(main, ["expect", path, IDS[4], IDS[1]]).output
    assert shown.splitlines()[0].endswith(IDS[2])
