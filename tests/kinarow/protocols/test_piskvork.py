"""The Piskvork protocol: transcripts with a real process, every error the protocol asks for, and any garbage."""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinarow
from kinarow import engine
from kinarow.commands.piskvork import MAX_LINE, decode_line
from kinarow.protocols.pipes import read_lines
from kinarow.protocols.piskvork import MEMORY_BYTES, GameSearcher, Piskvork, search_alone
from kinarow.protocols.piskvork_commands import CommandReader, ConversationEnd
from kinarow.search.best_move import search
from kinarow.search_types import Limits, Stop
from kinarow.solvers.large_boards.solver import _game
from tests.support.processes import processor_s
from tests.support.samples import examples

KINAROW = (sys.executable, "-m", "kinarow.commands.cli", "piskvork")
MOVE = re.compile(r"\d+,\d+")
ANSWER_WITHIN_S = 60
SIX_STONES = [*(f"{x},4,1" for x in (2, 3, 4, 6, 7)), *(f"{x},10,2" for x in (0, 3, 6, 9, 12))]
"""X would make six in a row at 5,4; each side has five stones."""
WIN_STONES = ("4,4,1", "4,5,1", "4,6,1", "0,0,2", "1,14,2", "13,1,2")
"""An open three of the side to move, which wins in 3."""


class Manager:
    """A manager of matches: a real process, asked line by line."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen((*KINAROW, *options), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()

    def say(self, *lines: str, end: str = "\r\n") -> None:
        """Send lines that have no answer, or whose answer is read later."""
        self.process.stdin.write("".join(line + end for line in lines).encode())
        self.process.stdin.flush()

    def hear(self) -> str:
        """The next line, which must end as the protocol says."""
        line = self.process.stdout.readline().decode()
        assert line.endswith("\r\n"), line
        return line[:-2]

    def hear_answer(self) -> str:
        while (line := self.hear()).startswith("MESSAGE "):
            pass
        return line

    def ask(self, *lines: str, end: str = "\r\n") -> str:
        self.say(*lines, end=end)
        return self.hear_answer()


def hear(conversation: Piskvork, *lines: str) -> list[str]:
    """All that is said to some lines, messages too."""
    return [answer for line in lines for answer in conversation.answers(line)]


def ask(conversation: Piskvork, *lines: str) -> list[str]:
    return [said for said in hear(conversation, *lines) if not said.startswith("MESSAGE depth ")]


def started(size: int = 15, nodes: int = 200) -> Piskvork:
    conversation = Piskvork(nodes)
    assert ask(conversation, f"START {size}") == ["OK"]
    return conversation


def noting() -> tuple[Piskvork, list[Limits]]:
    """A conversation that notes the limits of its searches, and makes them short."""
    asked: list[Limits] = []

    def searcher(position, limits, stop, listen):
        asked.append(limits)
        return search(position, Limits(max_nodes=1))

    return Piskvork(searcher=searcher), asked


def test_a_game_with_a_real_process():
    """The whole of a manager's day in one process, with every line end there is."""
    with Manager("--max-nodes", "2000") as manager:
        assert manager.ask("START 15") == "OK"
        assert manager.ask("ABOUT").startswith('name="kinarow", version="')
        told = "timeout_turn 5000,timeout_match 0,max_memory 0,rule 0,game_type 1,folder /tmp,time_left 2147483647"
        manager.say(*(f"INFO {line}" for line in told.split(",")), "INFO evaluate 3,4")
        assert manager.ask("BEGIN", end="\n") == "7,7"
        assert MOVE.fullmatch(manager.ask("TURN 8,8", end="\r"))
        assert manager.ask("TAKEBACK 8,8") == "OK"
        assert manager.ask("RESTART") == "OK"
        # The other side has four in a row with one open end.
        assert manager.ask("BOARD", "0,0,1", "3,3,2", "4,3,2", "5,3,2", "6,3,2", "2,3,1", "9,9,1", "DONE") == "7,3"
        assert manager.ask("RECTSTART 20,10") == "OK"
        x, y = map(int, manager.ask("TURN 19,9").split(","))
        assert (x in range(20), y in range(10)) == (True, True)
        manager.say("END")
        assert manager.process.wait(ANSWER_WITHIN_S) == 0
        assert manager.process.stdout.read() == b""


@pytest.mark.parametrize("reader", ["stays", "went away", "goes away while thinking"])
def test_an_end_of_input_or_output_ends_the_process_quietly(reader):
    """A last line needs no end. Where nobody reads, the process ends with the next message, long before the move."""
    with subprocess.Popen(KINAROW, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if reader == "stays":
            assert process.communicate(b"ABOUT", timeout=ANSWER_WITHIN_S)[0].startswith(b"name=")
        else:
            thinking = reader != "went away"
            if thinking:
                process.stdin.write(b"START 15\nINFO timeout_turn 600000\nBEGIN\n")
                process.stdin.flush()
                assert [process.stdout.readline()[:2] for _ in range(2)] == [b"OK", b"ME"]
            process.stdout.close()
            if not thinking:
                process.stdin.write(b"ABOUT\n" * 3)
                process.stdin.close()
        assert process.wait(ANSWER_WITHIN_S) == 0
        assert reader == "stays" or process.stderr.read() == b""


def test_the_time_for_a_move_is_kept():
    """Half a second a move on a board with everything open: the answer comes before it is over."""
    with Manager() as manager:
        manager.ask("START 20")
        manager.say("INFO timeout_turn 500")
        for turn in ("10,10", "2,3", "17,4"):
            used = processor_s(manager.process.pid)
            assert MOVE.fullmatch(manager.ask(f"TURN {turn}"))
            assert processor_s(manager.process.pid) - used < 0.5


@pytest.mark.parametrize(
    ("told", "least", "most"),
    [
        ((), 29_000, 29_970), (("timeout_turn 1000",), 950, 970), (("timeout_turn 0",), 20, 80),
        (("timeout_turn 300",), 270, 280), (("timeout_turn 10",), 1, 5),
        (("timeout_turn 5000", "time_left 20000"), 950, 1050),
        (("timeout_turn 5000", "timeout_match 100000"), 4800, 4970), (("timeout_turn 5000", "time_left 30"), 1, 15),
        (("timeout_turn 5000", "time_left 0"), 1, 1), (("timeout_turn 5000", "time_left -7"), 1, 1),
        (("timeout_turn 5000", "time_left 20000", "time_increment 1000"), 1950, 2050),
        (("timeout_turn five",), 29_000, 29_970),
    ],
    ids=str,
)  # fmt: skip
def test_the_time_to_think_is_what_the_manager_gives_less_a_margin(told, least, most):
    conversation, asked = noting()
    ask(conversation, "START 15", *(f"INFO {line}" for line in told), "BEGIN")
    assert least <= asked[-1].time_limit_ms <= most


@pytest.mark.parametrize(
    "line",
    ["START 4", "START 0", "START 26", "START -15", "START 15 15 15", "START x", "START 99999"]
    + ["RECTSTART 4,4", "RECTSTART 30,5", "RECTSTART 15", "RECTSTART 0,15", "RECTSTART 15;15"],
)
def test_boards_that_cannot_be_are_refused_and_before_start_there_is_none(line):
    conversation = Piskvork()
    (answer,) = ask(conversation, line)
    assert answer.startswith("ERROR ")
    for early in ("BEGIN", "TURN 1,1", "BOARD 1,1,2 DONE", "SWAP2BOARD DONE", "RESTART", "TAKEBACK 1,1"):
        assert ask(conversation, early) == ["ERROR START or RECTSTART must come first"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("TURN 15,0",), "ERROR TURN: 15,0 is not on the board of 15 x 15"),
        (("TURN 7",), "ERROR TURN needs a cell, X,Y"),
        (("TURN -1,2",), "ERROR TURN needs a cell, X,Y"),
        (("TURN 1,2,3",), "ERROR TURN needs a cell, X,Y"),
        (("TAKEBACK 3,3",), "ERROR the cell 3,3 is empty"),
        (("BOARD", "1,1,1", "1,1,2", "DONE"), "ERROR BOARD: the cell 1,1 is there twice"),
        (("BOARD", "1,1,3", "DONE"), "ERROR BOARD: '1,1,3' is not X,Y,1 or X,Y,2"),
        (("BOARD", "15,1,1", "DONE"), "ERROR BOARD: 15,1 is not on the board of 15 x 15"),
        (("BOARD", "1,1,1", "DONE"), "ERROR 1 own stones and 0 others: it cannot be this side's move"),
        (("BOARD", *(f"{x},0,2" for x in range(5)), *(f"{x},2,1" for x in range(4)), "DONE"), "ERROR the game is over"),
        (("INFO rule 5", "BEGIN"), "ERROR rule 5 (exactly five and renju) is not supported"),
        (("INFO rule 12", "BEGIN"), "ERROR rule 12 (renju and caro) is not supported"),
        (("INFO rule 16", "BEGIN"), "ERROR rule 16 (unknown) is not supported"),
        (("INFO rule 2", "TURN 0,0"), "ERROR rule 2 (continuous game) is not supported"),
        (("SWAP2BOARD", "7,7", "DONE"), "ERROR SWAP2BOARD needs 0, 3 or 5 stones, not 1"),
        (("SWAP2BOARD", "7,7", "7,7", "8,8", "DONE"), "ERROR SWAP2BOARD: the cell 7,7 is there twice"),
        (("SWAP2BOARD", "7,15", "DONE"), "ERROR SWAP2BOARD: 7,15 is not on the board of 15 x 15"),
        (("BOARD 1,1,2 h8,2 DONE",), "ERROR BOARD: 'h8,2' is not X,Y,1 or X,Y,2"),
        (("BEGIN 7",), "ERROR BEGIN: unexpected '7'"),
        (("RESTART now",), "ERROR RESTART: unexpected 'now'"),
        (("START", "RESTART"), "OK"),
        (("INFO time_left soon",), "MESSAGE INFO time_left needs a whole number, not 'soon'"),
        (("DONE",), "UNKNOWN command 'DONE'"),
        (("SUGGEST 1,1",), "UNKNOWN command 'SUGGEST'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_and_changes_nothing(lines, said):
    conversation = started()
    assert ask(conversation, *lines)[-1] == said
    ask(conversation, "INFO rule 0")
    assert ask(conversation, "BEGIN") == ["7,7"]


def test_taken_cells_moves_taken_back_and_boards_that_are_broken_off():
    """A cancelled board keeps the game, and a game goes on after a move is taken back."""
    conversation = started(nodes=2000)
    own = ask(conversation, "TURN 7,7")[0]
    assert ask(conversation, "TURN 7,7") == ["ERROR the cell 7,7 is taken"]
    assert ask(conversation, f"TURN {own}") == [f"ERROR the cell {own} is taken"]
    assert ask(conversation, "BEGIN") == ["ERROR BEGIN is for an empty board"]
    assert ask(conversation, f"TAKEBACK {own}", "TAKEBACK 7,7") == ["OK", "OK"]
    assert ask(conversation, "TURN 7,7") == [own]
    assert ask(conversation, "BOARD", "1,1,1", "RESTART", "BEGIN") == ["OK", "7,7"]
    ask(conversation, "BOARD", "1,1,1", "END")
    assert conversation.ended


def test_rule_one_wants_exactly_five():
    """Six in a row wins under rule 0 alone: under rule 1 the cell that makes six is no win."""
    assert ask(started(), "INFO rule 0", "BOARD", *SIX_STONES, "DONE") == ["5,4"]
    assert ask(started(nodes=3000), "INFO rule 1", "BOARD", *SIX_STONES, "DONE") != ["5,4"]


WORDS = [
    "START", "RECTSTART", "BEGIN", "TURN", "BOARD", "DONE", "INFO", "RESTART", "TAKEBACK", "ABOUT",
    "info", "YXBOARD", "YXSTOP",
]  # fmt: skip
KEYS = [
    "timeout_turn", "timeout_match", "time_left", "rule", "max_memory", "game_type", "folder", "evaluate",
    "max_depth", "max_node", "time_increment", "?",
]  # fmt: skip
NUMBERS = st.integers(-3, 27).map(str) | st.just("99999999999999999999")
LINES = st.one_of(
    st.builds("{} {}".format, st.sampled_from(WORDS), NUMBERS),
    st.builds("{} {},{}".format, st.sampled_from(WORDS), NUMBERS, NUMBERS),
    st.builds("{},{},{}".format, NUMBERS, NUMBERS, NUMBERS),
    st.builds("{},{},{}".format, st.integers(0, 6), st.integers(0, 6), st.integers(1, 2)),
    st.builds("TURN {},{}".format, st.integers(0, 6), st.integers(0, 6)),
    st.builds("INFO {} {}".format, st.sampled_from(KEYS), NUMBERS),
    st.sampled_from([*WORDS, "START 7", "START 9", "RECTSTART 6,5"]),
    st.text(max_size=30),
)


@examples(150)
@given(st.lists(LINES, max_size=25))
def test_any_input_gets_the_answers_of_the_protocol(lines):
    """No line raises; each word gets at most one answer beside messages, on one line, perhaps after the next line."""
    conversation, words = Piskvork(20), 0
    for line in lines:
        answers = ask(conversation, line)
        assert all(answer.isprintable() and len(answer) < 200 for answer in answers)
        last = [answer for answer in answers if not answer.startswith("MESSAGE ")]
        words += len(line.split()) - len(last)
        assert words >= 0
        assert all(MOVE.fullmatch(each) or each.startswith(("OK", "ERROR ", "UNKNOWN ", "name=")) for each in last)


CELLS = st.builds("{},{}".format, st.integers(0, 8), st.integers(0, 8))
STONES = st.lists(st.builds("{},{}".format, CELLS, st.integers(1, 2)), max_size=6, unique_by=lambda stone: stone[:3])
SENTENCES = st.one_of(
    st.sampled_from(["START 9", "RECTSTART 9,9", "RESTART", "BEGIN", "ABOUT", "STOP"]),
    st.builds("TURN {}".format, CELLS),
    st.builds("TAKEBACK {}".format, CELLS),
    st.builds(
        "INFO {}".format, st.sampled_from(["rule 0", "rule 1", "rule 4", "max_node 30", "game_type 1", "evaluate 3,3"])
    ),
    st.builds(lambda stones: " ".join(["BOARD", *stones, "DONE"]), STONES),
)


@examples(60)
@given(st.lists(SENTENCES, min_size=1, max_size=8), st.data())
def test_words_split_over_lines_in_any_way_say_the_same(sentences, data):
    """Also all on one line; and unknown commands between the lines change nothing, and get a line each."""
    plain, split = started(9, 30), started(9, 30)
    words = " ".join(sentences).split()
    lines, unknown = [""], 0
    for word in words:
        lines[-1] += f" {word}"
        if data.draw(st.booleans()):
            if word != "INFO" and data.draw(st.integers(0, 5)) == 0:
                lines.append("FROBNICATE 1 2")
                unknown += 1
            lines.append("")
    said = [line for line in hear(split, *lines) if not line.startswith("MESSAGE ")]
    assert said.count("UNKNOWN command 'FROBNICATE'") == unknown
    expected = [line for line in hear(plain, *sentences) if not line.startswith("MESSAGE ")]
    assert [line for line in said if not line.startswith("UNKNOWN ")] == expected


def test_a_command_that_lacks_words_waits_for_them_until_the_next_command():
    """A manager that breaks off is told so, but for a list of stones, and for its last words."""
    conversation = started()
    assert hear(conversation, "TURN", "", "START") == ["ERROR TURN needs a cell, X,Y"]
    assert ask(conversation, "15", "TAKEBACK", "INFO", "time_left") == ["OK", "ERROR TAKEBACK needs a cell, X,Y"]
    assert ask(conversation, "BOARD 1,1,2", "SWAP2BOARD", "BEGIN") == [
        "MESSAGE INFO time_left needs a whole number, not ''", "7,7",
    ]  # fmt: skip
    assert hear(conversation, "TURN", "END") == []
    assert conversation.ended


def test_an_unknown_command_with_cells_is_one_line():
    """As boards send those of their own: no cell of it is a line, or a stone of a board."""
    conversation = started()
    assert hear(conversation, "yxboard", "1,1", "2,2,1 3,3", "done", "YXFORBID add 1 2 3") == [
        "UNKNOWN command 'yxboard'", "UNKNOWN command 'YXFORBID'",
    ]  # fmt: skip
    assert ask(conversation, "BOARD 0,0,2", "FROBNICATE 5,5,1", "DONE", "TURN 0,0")[0::2] == [
        "UNKNOWN command 'FROBNICATE'", "ERROR the cell 0,0 is taken",
    ]  # fmt: skip


def test_the_longest_board_fits_a_line_and_a_longer_line_is_refused_whole():
    """625 stones on one line; more bytes than a line may have are one unknown command."""
    stones = [f"{x},{y},{1 + (x + 2 * y) // 2 % 2}" for y in range(25) for x in range(25)][:624]
    with Manager("--max-nodes", "10") as manager:
        assert manager.ask("START 25") == "OK"
        assert manager.ask(f"BOARD {' '.join(stones)} DONE") == "24,24"
        assert manager.ask(f"BOARD {'0,0,1 ' * MAX_LINE} DONE").startswith("UNKNOWN command 'BOARD 0,0,1")
        assert manager.ask("TURN 0,0") == "ERROR the cell 0,0 is taken"


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_lines_come_out_whole_whatever_the_bytes(pieces):
    """Any bytes between any line ends: text without what is none, and no line too long."""
    data = b"\n".join(pieces)
    expected = [
        re.sub("[^\x00-\x7f]", "?", line.decode("ascii", "replace")).strip() for line in re.split(b"[\r\n]", data)
    ]
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
        os.close(writing)
        found = [decode_line(line) for line in read_lines(reading, MAX_LINE)]
    finally:
        os.close(reading)
    assert [line for line in found if line] == [line for line in expected if line]
    assert all(len(line) <= MAX_LINE for line in found)


def test_a_line_that_comes_in_pieces_is_cut_as_a_whole(monkeypatch):
    monkeypatch.setattr("kinarow.protocols.pipes._CHUNK", 2)
    reading, writing = os.pipe()
    os.write(writing, b"abcdefgh\nij")
    os.close(writing)
    assert list(read_lines(reading, 5)) == [b"abcde", b"ij"]
    os.close(reading)


def test_memory():
    """A game by time remembers its searches, a game by nodes does not: the same question gets the same answer."""
    remembering = GameSearcher()
    position = kinarow.Position.from_text("/".join(["." * 9] * 9), goal=5)
    remembering(position, Limits(max_nodes=2000), Stop(), lambda info: None)
    context = remembering.context
    remembering(position.play(40), Limits(max_nodes=2000), Stop(), lambda info: None)
    assert context is not None
    assert remembering.context is context
    other = kinarow.Position.from_text("/".join(["." * 12] * 12), goal=5)
    remembering(other, Limits(max_nodes=200), Stop(), lambda info: None)
    assert remembering.context.rules == other.rules, "a memory is of one game"
    alone = search_alone(position, Limits(2000), Stop(), lambda info: None)
    assert alone.move == kinarow.best_move(position, Limits(2000)).move
    conversation = started(nodes=2000)
    *messages, _, move = hear(conversation, "TURN 7,7")
    assert messages[0] not in hear(conversation, "TURN 1,1")
    *again, _, move_again = hear(conversation, "RESTART", "TURN 7,7")
    assert [*again, move_again] == ["OK", *messages, move]


THINKING = re.compile(
    r"MESSAGE depth (\d+) score (-?[\d.]+)(?: \((?:win|loss) in (?:at most )?\d+\)| \(draw\))? nodes (\d+)"
    r" line (\d+,\d+(?: \d+,\d+)*)"
)
SUMMARY = re.compile(
    r"MESSAGE (depth\s+(\d+)-(\d+)\s+(?:multipv\s+(\d+)\s+)?ev\s+([+-]?\w*\d+)\s+n\s+([\d.]+[KMG]?)\s+"
    r"n/ms\s+(\d+)\s+tm\s+(\d+)\s+pv\s+(.+))"
)
"""What pygomo-lib 0.1 reads from the last message before a move."""


def test_the_last_message_before_a_move():
    """It sums up the search; a sure win counts plies."""
    conversation = started(nodes=20_000)
    *messages, last, move = hear(conversation, "TURN 7,7")
    summary, told = SUMMARY.fullmatch(last), THINKING.fullmatch(messages[-1])
    assert summary[2] == told[1]
    assert int(summary[6]) >= int(told[3])
    assert summary[9].split()[0] == move
    assert abs(int(summary[5]) - 1000 * float(told[2])) <= 1
    *_, last, _ = hear(conversation, "BOARD", *WIN_STONES, "DONE")
    assert SUMMARY.fullmatch(last)[5] == "+M3"


def test_messages_while_thinking():
    """Each iteration tells depth, score, nodes and line; the last line begins with the move that is played."""
    *messages, _, move = hear(started(nodes=20_000), "TURN 7,7")
    told = [THINKING.fullmatch(message) for message in messages]
    assert all(told)
    assert len(told) > 2
    for column in (1, 3):
        numbers = [int(match[column]) for match in told]
        assert numbers == sorted(numbers)
    assert told[-1][4].split()[0] == move
    assert all(-1 < float(match[2]) < 1 for match in told)
    *messages, _, move = hear(started(nodes=20_000), "BOARD", *WIN_STONES, "DONE")
    assert move in ("4,3", "4,7")
    assert " (win in 3) nodes " in messages[-1]


FOUR = "BOARD 3,3,2 4,3,2 5,3,2 6,3,2 2,3,1 9,9,1 0,0,1 DONE"
"""The other side has four in a row with one open end, at 7,3."""


@pytest.mark.parametrize(
    ("strength", "level"), [(-7, 1), (0, 1), (1, 1), (10, 1), (11, 2), (89, 9), (90, 9), (100, None)]
)
def test_a_level_is_ten_of_strength(monkeypatch, strength, level):
    """Also where that is below the least."""
    asked, usual = [], engine.move
    monkeypatch.setattr(engine, "move", lambda question: (asked.append(question.level), usual(question))[1])
    assert ask(started(), f"INFO STRENGTH {strength}", FOUR) == ["7,3"] or level
    assert asked == ([level] if level else [])


def test_limits_of_a_board():
    """The depth and the nodes that INFO names end a search; -1 takes the limit of nodes away."""
    conversation = started(nodes=100_000)
    *messages, _, _ = hear(conversation, "INFO max_depth 3", "TURN 7,7")
    assert messages[-1].startswith("MESSAGE depth 3 ")
    *messages, _, _ = hear(conversation, "RESTART", "INFO max_depth 225", "INFO max_node 500", "TURN 7,7")
    assert int(THINKING.fullmatch(messages[-1])[3]) <= 500
    *messages, _, _ = hear(conversation, "RESTART", "INFO max_node -1", "TURN 7,7")
    assert int(THINKING.fullmatch(messages[-1])[3]) > 500


def test_time_left_before_start():
    """Boards tell the time left and then start the game anew for every move: the time still holds."""
    conversation, asked = noting()
    ask(conversation, "INFO timeout_turn 100000", "INFO timeout_match 900000")
    for left in (600_000, 20_000):
        ask(conversation, f"INFO time_left {left}", "START 15 15", "BOARD", "7,7,2", "DONE")
        assert left / 20 - 2000 < asked[-1].time_limit_ms < left / 20 + 50
    ask(conversation, "START 15", "BEGIN")
    assert 40_000 < asked[-1].time_limit_ms < 45_050


def test_the_manager_chooses_the_number_of_threads():
    conversation, asked = noting()
    for number, threads in ((4, 4), (0, 1)):
        ask(conversation, f"INFO thread_num {number}", "START 15", "BEGIN")
        assert asked[-1].threads == threads


def test_renju_has_forbidden_cells():
    assert ask(started(nodes=3000), "INFO rule 4", "BOARD", *SIX_STONES, "DONE") != ["5,4"]


@pytest.mark.parametrize("rule", [8, 9])
def test_caro_wants_an_open_end(rule):
    """X has four in a row, closed at the left; O has closed the cell after the next one too."""
    stones = ["1,4,2", *(f"{x},4,1" for x in (2, 3, 4, 5)), "7,4,2", "0,10,2", "3,10,2"]
    assert ask(started(nodes=3000), f"INFO rule {rule}", "BOARD", *stones, "DONE") != ["6,4"]
    assert ask(started(nodes=3000), "INFO rule 0", "BOARD", *stones, "DONE") == ["6,4"]


def test_openings():
    """White to move is lost against an open four in the making, and better off where Black's stones are apart."""
    conversation = started(nodes=6000)
    (offer,) = ask(conversation, "SWAP2BOARD", "DONE")
    assert len({*offer.split(" ")}) == 3
    assert all(0 <= int(part) < 15 for place in offer.split(" ") for part in place.split(","))
    assert ask(conversation, "BEGIN") == ["7,7"]  # nothing was marked
    assert ask(started(nodes=3000), "SWAP2BOARD", "7,7", "0,0", "8,7", "14,14", "9,7", "DONE") == ["SWAP"]
    (answer,) = ask(started(nodes=3000), "SWAP2BOARD", "0,0", "7,7", "14,0", "DONE")
    assert answer not in ("SWAP", "0,0", "7,7", "14,0")
    # Another command ends the opening.
    assert hear(conversation, "SWAP2BOARD", "7,7", "RESTART") == ["OK"]
    assert hear(conversation, "DONE") == ["UNKNOWN command 'DONE'"]


def test_stop():
    """It ends a search of minutes at once, and the answer is a legal move; the next search is not stopped."""
    with Manager() as manager:
        assert manager.ask("START 15") == "OK"
        manager.say("INFO timeout_turn 600000", "TURN 7,7")
        while not manager.hear().startswith("MESSAGE depth 5 "):
            pass
        used = processor_s(manager.process.pid)
        manager.say("stop")
        best = manager.hear_answer()
        assert MOVE.fullmatch(best)
        assert best != "7,7"
        assert processor_s(manager.process.pid) - used < 2
        manager.say("INFO max_node 3000", "TAKEBACK 7,7", "TURN 7,8")
        assert manager.hear_answer() == "OK"
        while not manager.hear().startswith("MESSAGE depth 3 "):
            pass
        assert MOVE.fullmatch(manager.hear_answer())


def test_stop_before_the_search():
    interrupt = Stop()
    interrupt.set()
    conversation = Piskvork()
    hear(conversation, "START 15", "INFO timeout_turn 600000")
    *_, move = conversation.answers("BEGIN", interrupt)
    assert MOVE.fullmatch(move)


def test_after_the_end_nothing_is_said():
    """At whatever line the end comes: the search stops, and there is no answer, nor any to the commands after it."""
    lines = hear(started(nodes=3000), "TURN 7,7")
    for place in range(len(lines)):
        ending = ConversationEnd()
        conversation = Piskvork(3000, ending=ending)
        hear(conversation, "START 15")
        ending.has_answered = True
        answers, said = conversation.answers("TURN 7,7"), []
        with contextlib.suppress(StopIteration):
            said += [next(answers) for _ in range(place)]
            ending.note()
            said += list(answers)
        if place < len(lines) - 2:  # while it thinks
            assert said == lines[:place]
            assert conversation.ended


@pytest.mark.parametrize("thinks_s", [0.0, 0.1, 0.7, pytest.param(1.5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("end", ["END", "end of input", "END with everything closed"])
def test_the_end_is_obeyed_while_it_thinks(end, thinks_s):
    """The process ends at once, without an error and without a move."""
    with Manager() as manager:
        assert manager.ask("START 15") == "OK"
        heard: list[tuple[float, bytes]] = []
        listener = threading.Thread(
            target=lambda: heard.extend((time.monotonic(), line) for line in iter(manager.process.stdout.readline, b""))
        )
        if "closed" not in end:
            listener.start()
        manager.say("INFO timeout_turn 600000", "TURN 7,7", "ABOUT")
        time.sleep(thinks_s)
        used, asked = processor_s(manager.process.pid), time.monotonic()
        with contextlib.suppress(BrokenPipeError):
            if end.startswith("END"):
                manager.say("END")
            if end != "END":
                manager.process.stdin.close()
        assert manager.process.wait(ANSWER_WITHIN_S) == 0
        assert time.monotonic() - asked < 30  # half a second where the machine is idle
        assert used < thinks_s + 2
        if "closed" not in end:
            listener.join()
            assert all(line.startswith(b"MESSAGE depth ") for _, line in heard)
            assert not [line for said, line in heard if said > asked + 10]


@pytest.mark.parametrize("end", ["END\n", ""])
def test_a_script_is_answered_soon(end):
    """Where the input has ended before the first answer, every command is answered, within a short time for all."""
    said = f"INFO timeout_turn 600000\nSTART 15\n{FOUR}\nTURN 9,8\nABOUT\n{end}"
    done = subprocess.run(KINAROW, input=said.encode(), capture_output=True, timeout=ANSWER_WITHIN_S, check=True)
    ok, block, move, about = (line for line in done.stdout.decode().split("\r\n") if line and "MESSAGE" not in line)
    assert (ok, block) == ("OK", "7,3")
    assert MOVE.fullmatch(move)
    assert about.startswith("name=")


def test_the_rule_is_loaded_before_the_first_move():
    """``INFO rule`` comes after ``START``, often with the first turn: no rule makes that pay."""
    conversation = started(20)
    loaded = _game.cache_info().misses
    for rule in (4, 8, 9, 1, 0):
        assert MOVE.fullmatch(ask(conversation, "RESTART", f"INFO rule {rule}", "TURN 3,4")[-1])
    assert _game.cache_info().misses == loaded


def test_an_offer_keeps_its_time():
    """Also where each search takes twice its share."""
    taken = []

    def late(position, limits, stop, listen):
        taken.append(2 * limits.time_limit_ms / 1000)
        time.sleep(taken[-1])
        return search(position, Limits(max_nodes=1))

    conversation = Piskvork(searcher=late)
    hear(conversation, "START 15", "INFO timeout_turn 600")
    assert ask(conversation, "SWAP2BOARD DONE")
    assert len(taken) > 1
    assert sum(taken) <= 0.6 + 0.01


def test_a_move_has_the_time_since_it_was_read():
    """A command that waited behind others has less: the manager's clock runs."""
    conversation, asked = noting()
    hear(conversation, "START 15", "INFO timeout_turn 5000")
    (command,) = CommandReader().read("BEGIN")
    now = time.monotonic_ns()
    assert list(conversation.obey(command, read_ns=now - 4_000_000_000))
    assert asked[-1].deadline_ns - now < 1_000_000_000


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
@pytest.mark.parametrize("level", [100, 50])
def test_the_memory_is_what_the_manager_allows(level):
    """The process never has more; with less than it needs the tables are the smallest."""
    with Manager() as manager:
        assert manager.ask("START 25") == "OK"
        manager.say(f"INFO max_memory {MEMORY_BYTES}", "INFO timeout_turn 1500", f"INFO strength {level}")
        assert MOVE.fullmatch(manager.ask("TURN 12,12"))
        assert most_memory(manager.process.pid) < MEMORY_BYTES
    with Manager() as manager:
        assert manager.ask("START 25") == "OK"
        before = most_memory(manager.process.pid)
        manager.say("INFO max_memory 80000000", "INFO timeout_turn 1500", f"INFO strength {level}")
        assert manager.hear().startswith("MESSAGE max_memory is below 200000000 bytes")
        assert MOVE.fullmatch(manager.ask("TURN 12,12"))
        assert most_memory(manager.process.pid) - before < 40_000_000


def most_memory(pid: int) -> int:
    """The most bytes of memory that a process has had."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def test_the_first_line_is_read_without_loading_what_no_command_needs():
    """A manager may count the start of the process as time of the first turn."""
    code = "import sys, kinarow.commands.piskvork; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
