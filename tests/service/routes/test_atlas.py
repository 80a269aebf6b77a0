"""The atlas as a page and as data, and answers from it."""

import csv
import hashlib
import io
import re
from html import unescape

import pytest

from kinarow.search.known.atlas import shipped
from kinarow.version import engine_version


def test_the_data_name_the_engine_and_every_entry(ask):
    data = ask.get("/atlas.json").get_json()
    assert data["engine"] == engine_version()
    assert len(data["entries"]) == len(shipped())
    for entry in data["entries"]:
        assert (entry["outcome"] == "unknown") == (entry["nodes"] is None) == (entry["move"] is None)
    torus = next(e for e in data["entries"] if (e["rows"], e["columns"], e["wrap"]) == (3, 3, "both"))
    assert (torus["outcome"], len(torus["first_moves"])) == ("win", 1)


def test_the_table_has_a_row_for_each_entry(app):
    rows = list(csv.DictReader(io.StringIO(app.test_client().get("/atlas.csv").text)))
    assert len(rows) == len(shipped())
    assert [row["outcome"] for row in rows] == [entry.outcome for entry in shipped().values()]


ENGLISH = "4 × 3, 3 in a row: the side that begins wins with move 7;"


def test_the_page_says_in_words_what_its_colours_say(app):
    page = app.test_client().get("/atlas").text
    assert '<td class="draw"><a href="./#rows=3&amp;columns=3&amp;goal=3&amp;you=both&amp;values=on"' in page
    assert ENGLISH in page


def test_a_link_of_the_atlas_is_named_by_what_is_seen_and_by_its_own_size(app):
    """Columns first, as on the page; a board turned by a right angle is another link."""
    page = unescape(app.test_client().get("/atlas").text)
    links = re.findall(r'aria-label="([^"]+)">([^<]+)</a>', page)
    assert len(links) > 100
    assert [name for name, seen in links if not name.startswith(f"{seen}, ")] == []
    grids, _, others = page.partition("</details>")
    for apart in ("layers=", "directions=", "%23"):
        assert (apart in grids, apart in others) == (False, True)
    names = re.findall(r'aria-label="([^"]+)">', grids)
    assert len(names) == len(set(names))
    assert any("4 × 3, 3 in a row" in name for name in names)
    assert any("3 × 4, 3 in a row" in name for name in names)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("es", "4 × 3, 3 en línea: quien empieza gana con la jugada 7;"),
        ("ja", "4 × 3、3つ並べる：先手が 7 手目で勝ち"),
        ("xx", ENGLISH),
    ],
)
def test_the_page_is_in_the_language_that_is_asked_for(app, language, words):
    client, unknown = app.test_client(), language == "xx"
    accepted, named = client.get("/atlas", headers={"Accept-Language": language}), client.get(f"/atlas?lang={language}")
    assert accepted.text == named.text
    assert words in named.text
    assert (ENGLISH in named.text) == unknown
    assert f'<html lang="{"en" if unknown else language}">' in named.text
    assert "Accept-Language" in accepted.headers["Vary"]
    assert (accepted.headers["ETag"] == client.get("/atlas").headers["ETag"]) == unknown


def test_proven_boards_are_answered_at_once(ask):
    answer = ask.post("/move", {"rows": 4, "columns": 3, "goal": 3, "max_nodes": 1}).get_json()
    assert (answer["search"]["source"], answer["outcome"], answer["distance"]) == ("atlas", "win", 7)
    whole = ask.post("/analysis", {"rows": 4, "columns": 3, "goal": 3, "max_nodes": 1}).get_json()
    assert (whole["search"]["source"], whole["search"]["nodes"], len(whole["moves"])) == ("atlas", 0, 12)
    assert all(whole[name] == answer[name] for name in ("move", "score", "line", "text", "best_moves"))


def test_a_proof_that_an_entry_names_is_sent(app, ask):
    entries = ask.get("/atlas.json").get_json()["entries"]
    plain = next(e for e in entries if (e["rows"], e["columns"], e["goal"]) == (3, 4, 3) and e["known_by"]["X"])
    client, reason = app.test_client(), plain["known_by"]["X"]
    sent = client.get(f"/atlas/proofs/{reason['file']}")
    assert (reason["by"], sent.status_code) == ("proof", 200)
    assert hashlib.sha256(sent.data).hexdigest() == reason["sha256"]
    assert client.get("/atlas/proofs/other.proof").status_code == 404
