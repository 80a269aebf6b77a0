"""The command that looks for wrong lines which no test notices."""

import ast

import pytest

from tests.support.mutations import LEFT_OUT, MUTATED, REPOSITORY, TESTS, mutants, survives

FILE = REPOSITORY / "kinarow" / "contract" / "validation.py"


def test_what_is_mutated_and_what_meets_it_is_there():
    assert [name for name in (*MUTATED, *LEFT_OUT, *TESTS) if not (REPOSITORY / name).exists()] == []


def test_every_mutant_is_another_program():
    usual = ast.dump(ast.parse(FILE.read_text("utf-8")))
    found = list(mutants(FILE))
    assert len({each.source for each in found}) > 50
    for each in found:
        compile(each.source, each.path, "exec")
        assert ast.dump(ast.parse(each.source)) != usual, each.told


@pytest.mark.slow
def test_a_mutant_is_met_by_tests_in_the_place_of_its_module(tmp_path):
    told = "kinarow/contract/validation.py: len(errors) > MAX_ERRORS  ->  (not len(errors) > MAX_ERRORS)"
    (mutant,) = (each for each in mutants(FILE) if each.told == told)
    assert not survives(mutant, {"tests/service/http/test_problems.py": 1.0}, tmp_path)
    assert survives(mutant, {"tests/kinarow/test_score.py": 1.0}, tmp_path)
