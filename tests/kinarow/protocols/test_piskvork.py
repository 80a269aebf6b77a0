"""The Piskvork protocol: transcripts with a real process, every error the protocol asks for, and any garbage."""

import os
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinarow
from kinarow.commands.piskvork import MAX_LINE, text_of
from kinarow.cores import usable_cores
from kinarow.protocols.pipes import read_lines
from kinarow.protocols.piskvork import Interrupt, Piskvork, Remembering, search_alone
from kinarow.search.best_move import search
from kinarow.search_types import Limits, Stop
from tests.support.processes import processor_s

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


def test_garbage_is_survived_and_named():
    """Bytes that are no text, a line without end and no command: an answer each, and the next command works."""
    with Manager("--max-nodes", "100") as manager:
        manager.process.stdin.write(b"\xff\xfe\x00BEGIN\r\n" + b"A" * 100_000 + b"\n\n\r\n  \n")
        assert manager.hear().startswith("UNKNOWN command '")
        assert manager.ask("START 15").startswith("UNKNOWN command 'AAAA")
        assert manager.hear() == "OK"


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
    ["START", "START 4", "START 0", "START 26", "START -15", "START 15 15 15", "START x", "START 99999"]
    + ["RECTSTART 4,4", "RECTSTART 30,5", "RECTSTART 15", "RECTSTART 0,15", "RECTSTART 15;15"],
)
def test_boards_that_cannot_be_are_refused_and_before_start_there_is_none(line):
    conversation = Piskvork()
    (answer,) = ask(conversation, line)
    assert answer.startswith("ERROR ")
    for early in ("BEGIN", "TURN 1,1", "BOARD", "RESTART", "TAKEBACK 1,1"):
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
        *(
            (("YXNBEST" + count,), "ERROR YXNBEST needs a number of moves, at least 1")
            for count in ("", " 0", " -1", " x")
        ),
        (("YXNBEST 99999",), "ERROR YXNBEST needs a number of moves, at least 1"),
        (("YXBOARD", "1,1,3", "DONE"), "ERROR BOARD: '1,1,3' is not X,Y,1 or X,Y,2"),
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
    "info", "YXBOARD", "YXNBEST", "YXSHOWINFO", "YXHASHCLEAR", "YXSTOP",
]  # fmt: skip
KEYS = [
    "timeout_turn", "timeout_match", "time_left", "rule", "max_memory", "game_type", "folder", "evaluate",
    "max_depth", "max_node", "time_increment", "show_detail", "?",
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


@settings(max_examples=150)
@given(st.lists(LINES, max_size=25))
def test_any_input_gets_the_answers_of_the_protocol(lines):
    """No line raises; each gets at most one answer beside messages, of a kind that fits it, all on one line."""
    conversation = Piskvork(20)
    for line in lines:
        answers = ask(conversation, line)
        assert all(answer.isprintable() and len(answer) < 200 for answer in answers)
        last = [answer for answer in answers if not answer.startswith("MESSAGE ")]
        assert len(last) <= 1
        word = line.strip().partition(" ")[0].upper()
        if word == "INFO":
            assert last == []
        elif word in ("START", "RECTSTART", "RESTART", "TAKEBACK"):
            assert last[0] == "OK" or last[0].startswith("ERROR ")
        elif word in ("BEGIN", "TURN", "YXNBEST"):
            assert MOVE.fullmatch(last[0]) or last[0].startswith("ERROR ")
        elif word == "DONE":
            assert not last or MOVE.fullmatch(last[0]) or last[0].startswith(("ERROR ", "UNKNOWN "))


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
        found = [text_of(line) for line in read_lines(reading, MAX_LINE)]
    finally:
        os.close(reading)
    assert [line for line in found if line] == [line for line in expected if line]
    assert all(len(line) <= MAX_LINE for line in found)


def test_memory():
    """A game by time remembers its searches, a game by nodes does not: the same question gets the same answer."""
    remembering = Remembering()
    position = kinarow.Position.from_text("/".join(["." * 9] * 9), goal=5)
    remembering(position, Limits(max_nodes=2000), Stop(), lambda info: None)
    context = remembering.context
    remembering(position.play(40), Limits(max_nodes=2000), Stop(), lambda info: None)
    assert context is not None
    assert remembering.context is context
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
    """It sums up the search, also for a board that sees the best move on the way; a sure win counts plies."""
    conversation = started(nodes=20_000)
    *messages, last, move = hear(conversation, "INFO show_detail 1", "TURN 7,7")
    summary, told = SUMMARY.fullmatch(last), THINKING.fullmatch(messages[-2])
    assert summary[2] == told[1]
    assert int(summary[6]) >= int(told[3])
    assert summary[9].split()[0] == move
    assert abs(int(summary[5]) - 1000 * float(told[2])) <= 1
    *_, last, _ = hear(conversation, "YXBOARD", *WIN_STONES, "DONE", "YXNBEST 2")
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


def test_show_info():
    """A Yixin board is told who this is and gets the best move so far while thinking."""
    conversation = started(nodes=5000)
    name, threads, size = hear(conversation, "INFO show_detail 1", "YXSHOWINFO")
    assert name.startswith("MESSAGE kinarow ")
    assert threads == f"MESSAGE INFO MAX_THREAD_NUM {usable_cores()}"
    assert re.fullmatch(r"MESSAGE INFO MAX_HASH_SIZE \d+", size)
    *messages, _, move = hear(conversation, "TURN 7,7")
    shown = [message for message in messages if "REALTIME" in message]
    assert len(shown) == len(messages) / 2
    assert shown[-1] == f"MESSAGE REALTIME BEST {move}"
    told = hear(conversation, "INFO show_detail 0", "TURN 1,1")
    assert not any("REALTIME" in message for message in told)


def test_yx_board():
    """It is taken over without an answer, and the game goes on from it."""
    conversation = started(nodes=2000)
    stones = ("3,3,2", "2,3,1", "4,3,2", "9,9,1", "5,3,2", "0,0,1", "6,3,2")
    assert hear(conversation, "yxboard", *stones, "done") == []
    assert ask(conversation, "TAKEBACK 6,3", "TURN 6,3") == ["OK", "7,3"]


def test_n_best():
    """The N best moves come as messages, best first; the best one is made."""
    conversation = started(nodes=5000)
    hear(conversation, "YXBOARD", "7,7,2", "8,7,1", "6,6,2", "DONE")
    *messages, move = hear(conversation, "YXNBEST 3")
    found = (re.fullmatch(r"MESSAGE (\d): score (\S+) line (\S+)( \S+)*", message) for message in messages)
    listed = [match for match in found if match]
    assert [match[1] for match in listed] == ["1", "2", "3"]
    assert listed[0][3] == move
    assert len({match[3] for match in listed}) == 3
    scores = [float(match[2]) for match in listed]
    assert scores == sorted(scores, reverse=True)
    assert ask(conversation, f"TURN {move}") == [f"ERROR the cell {move} is taken"]


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


@pytest.mark.parametrize("lines", [("INFO rule 4",), ("INFO rule 2", "YXHASHCLEAR")], ids=["Gomocup", "Yixin"])
def test_renju_has_forbidden_cells(lines):
    conversation = started(nodes=3000)
    told = ["MESSAGE rule 2 (continuous game) is not supported"] * (len(lines) - 1)
    assert [line for line in hear(conversation, *lines) if "not supported" in line] == told
    hear(conversation, "YXBOARD", *SIX_STONES, "DONE")
    assert hear(conversation, "YXSHOWFORBID") == ["FORBID 0504."]
    assert ask(conversation, "BOARD", *SIX_STONES, "DONE") != ["5,4"]


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


def test_extra_yixin_commands():
    """Forgetting has no answer, and there is no forbidden cell."""
    conversation = started()
    assert hear(conversation, "yxhashclear", "YXSTOP", "INFO hash_size 524288") == []
    assert hear(conversation, "YXSHOWFORBID") == ["FORBID ."]
    (message,) = hear(conversation, "INFO hash_size 1024")
    assert message.startswith("MESSAGE up to 420 MiB")
    assert hear(conversation, "START 15 10", "TURN 14,9")[0] == "OK"


def test_stop():
    """YXSTOP ends a search of minutes at once, and the answer is a legal move; the next search is not stopped."""
    with Manager() as manager:
        assert manager.ask("START 15") == "OK"
        manager.say("INFO timeout_turn 600000", "TURN 7,7")
        while not manager.hear().startswith("MESSAGE depth 5 "):
            pass
        used = processor_s(manager.process.pid)
        manager.say("yxstop")
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
    interrupt = Interrupt()
    interrupt.set()
    conversation = Piskvork()
    hear(conversation, "START 15", "INFO timeout_turn 600000")
    *_, move = conversation.answers("BEGIN", interrupt)
    assert MOVE.fullmatch(move)
