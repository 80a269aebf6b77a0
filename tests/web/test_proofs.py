"""The checker of the atlas page says of every file what ``checker/check_proof.py`` says."""

import json
import random
from base64 import b64encode

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.proofs import check_proof, finding
from kinarow.search.known import proofs
from tests.web import logic
from tests.web.table import expect

SHORT = "5x6-goal4-x-win.proof"


def verdict(data):
    """What the Python checker says: the side, the claim and the plies of each proof, or None."""
    try:
        return [list(check_proof.check(head, body)) for head, body in check_proof.proofs(data)]
    except (check_proof.Unproven, ValueError, RecursionError):
        return None


def changed(data, chance):
    """A proof with a byte of its decisions, or of its first line, that is another one, is missing, or is new."""
    data = bytearray(data)
    at = chance.choice([chance.randrange(len(data)), data.index(b"\n") + 1]) % len(data)
    match chance.randrange(3):
        case 0:
            data[at] = chance.randrange(256)
        case 1:
            del data[at : at + chance.randrange(1, 4)]
        case _:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 4)))
    return bytes(data)


def agree(files):
    said = json.loads(logic.run("check-proofs.mjs", data=[b64encode(data).decode() for data in files]))
    assert said == [verdict(data) for data in files]
    return said


def test_both_checkers_say_the_same_of_proofs_and_of_changed_ones():
    chance = random.Random(1)
    short = [data for data in proofs.shipped().values() if len(data) < 3_000]
    misere = [Rules(rows, columns, 4, misere=True) for rows, columns in ((2, 5), (3, 4), (3, 5), (4, 4))]
    short += [finding.prove(Position.empty(rules), side, False).written() for rules in misere for side in (1, 2)]
    short += [finding.prove(Position.empty(Rules(4, 4, 4, gravity=True)), side, False).written() for side in (1, 2)]
    whole = agree(short)
    assert all(whole)
    mutants = agree([changed(chance.choice(short), chance) for _ in range(400)])
    assert mutants.count(None) > 200
    assert agree([b"", b"\n"]) == [None, None]


@pytest.mark.slow
def test_both_checkers_take_every_proof_of_the_package():
    assert all(agree(proofs.shipped().values()))


@pytest.mark.slow
def test_a_button_of_the_atlas_checks_a_proof(sit_down):
    table = sit_down()
    table.page.goto(f"{table.url}atlas#proofs")
    table.page.locator("#proofs summary").click()
    row = table.page.locator("tr", has=table.page.locator(f"a[href$='/{SHORT}']"))
    row.get_by_role("button").click()
    _, _, plies = check_proof.check(*next(check_proof.proofs(proofs.shipped()[SHORT])))
    expect(row.locator("output")).to_have_text(f"proven: at most {plies} moves of both sides")


@pytest.mark.slow
def test_a_button_of_the_atlas_says_that_a_damaged_proof_proves_nothing(sit_down):
    table = sit_down()
    table.page.route(f"**/{SHORT}", lambda route: route.fulfill(body=proofs.shipped()[SHORT][:-1]))
    table.page.goto(f"{table.url}atlas")
    table.page.locator("#proofs summary").click()
    row = table.page.locator("tr", has=table.page.locator(f"a[href$='/{SHORT}']"))
    row.get_by_role("button").click()
    expect(row.locator("output")).to_contain_text("not proven: ")


@pytest.mark.slow
def test_a_button_of_the_atlas_checks_a_proof_in_firefox(firefox, site):
    firefox.open(f"{site.rstrip('/')}/atlas")
    firefox.wait("document.querySelector('.proofs button:not([hidden])')")
    firefox.click("#proofs summary")
    firefox.click(".proofs button")
    firefox.wait("document.querySelector('.proofs output').textContent.startsWith('proven')")
    assert firefox.errors == []
