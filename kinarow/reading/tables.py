"""The accepted spellings, as tables; ``browser/export.py`` writes ``FOR_JAVASCRIPT``, which JavaScript reads."""

from kinarow.game.notation import MAX_DIGIT_COLUMNS
from kinarow.game.rules import RULES
from kinarow.game.size import MAX_CELLS, MAX_SIDE

ALPHABETS = {
    "letters": ("X×✕✖✗✘❌ХхΧχＸｘ", "O○◯⭕ОоΟοＯｏ"),
    "numbers": ("1", "2"),
    "colours": ("🔴", "🟡🔵"),
    "stones": ("●", "○"),
}
"""The spellings of both sides. A board uses one alphabet, and in it one spelling of each side."""
SMALL_LETTERS = {"x": "X", "o": "O"}
"""Letters that may stand beside their capitals on one board."""
BLANK = " "
EMPTY_MARKS = "._-0⬜⬛·•"
EMPTY_BESIDE = {"⚪": "🔴🟡🔵❌⭕"}
"""Marks that are empty cells only beside one of these spellings."""
EMPTY_WORDS = ("none", "null", "empty")
BLOCKED_MARK = "#"
IGNORED = "\ufe0f"  # makes an emoji of the character before it
NOT_BLANK = EMPTY_MARKS + "".join(EMPTY_BESIDE)
"""Visible marks of empty cells; on a board with one of them a space is no cell."""

MAX_BOARD_TEXT = 4 * MAX_CELLS  # the most characters of a board as one text: some cells have a space and a line break
USUAL_SIDE = 3  # the rows and columns of a flat board of nine cells
ROW_SEPARATOR = "/"
SEPARATORS = ",;_-"
"""What may stand between moves besides white space."""
COUNTED = {"tiles": ("tile", 1), "cells": ("tile", 0), "columns": ("column", 1), "columns-from-0": ("column", 0)}
"""By the value of ``--moves``, what the numbers of moves count, and the number of the first one."""
COUNTINGS = (*COUNTED, "text")
RESULTS: dict[str, int | None] = {"1-0": 0, "0-1": 1, "1/2-1/2": None, "½-½": None}
"""Results at the end of moves: the winner, 0 for the side that moved first and 1 for the other; None is a draw."""
UNFINISHED = "*"

BOARD_HINTS = (
    (r"(?:[A-Ya-y][0-9]{1,2}[\s,;/_-]*)+|[1-9]{2,}", "if these are moves, send them as moves"),
    (r"\s*+[\[{].*", "send a list of rows as JSON, or one string with / between the rows"),
    (r"[^\s,;|/]{2,}(?:[\s,;|]+[^\s,;|/]{2,})+", "write / between the rows"),
    (r"[^|│─┃━║═]*[|│─┃━║═].*|.*?(?:\+-|┼─|╋━|---).*", "leave out the lines of the grid, such as | and ---"),
    (r"[^,;]*[,;].*", "leave out what stands between the cells"),
    (r"(?:[^/]* )?(?:0 *1 *2|1 *2 *3|a *b *c|A *B *C).*|.*(?:1 *2 *3|a *b *c|A *B *C)\s*", "leave out the coordinates"),
    (r"[XxOo1-9]*+(?:/[XxOo1-9]+)+(?: .*)?", "write each empty cell, not how many there are"),
)
"""Hints for boards that cannot be read, each after a pattern that matches the text with ``/`` between rows."""

GAMES = {
    "connect-four": "connect4 c4 connectfour connectx fourinarow 4inarow",
    "tic-tac-toe": "ttt tictactoe noughtsandcrosses naughtsandcrosses xsandos",
    "misere-tic-tac-toe": "misere miserettt miseretictactoe",
    "four-by-four": "4x4 fourbyfour",
    "gomoku": "gobang fiveinarow 5inarow freegomoku freestylegomoku gomokufreestyle gomoku15",
    "standard-gomoku": "standardgomoku gomokustandard",
    "torus-tic-tac-toe": "torusttt toroidaltictactoe",
    "caro": "carogomoku gomokucaro vietnamesecaro",
    "qubic": "3dtictactoe 3dttt 4x4x4",
    "score-four": "scorefour score4 sogo connectfour3d 3dconnectfour connect43d 3dconnect4",
    "notakto": "misereimpartialtictactoe impartialtictactoe",
    "treblecross": "1dtictactoe",
}
"""Other names of games, in small letters without spaces and signs."""

FIELDS = {
    "board": "state grid squares cells tiles field playing_field position fen observation obs matrix board_array "
    "board_data board_state game_board game_state current_board",
    "moves": "history sequence pgn pos actions move_history move_list played_moves "
    "game_history past_moves action_history",
    "to_move": "player turn side mark marker symbol sign color colour to_play x_is_next is_x_next ai_player "
    "side_to_move current_player player_to_move active_player "
    "next_player current_turn current_side current_mark current_sign "
    "player_symbol player_mark player_color player_colour is_x_turn is_black_turn black_to_move white_to_move ai_mark "
    "color_to_move whos_turn whose_turn my_turn",
    "first": "first_player starting_player starter first_to_move who_starts who_begins starting_side",
    "goal": "k connect streak win_condition win_length in_a_row n_in_a_row k_in_a_row num_in_a_row x_in_row "
    "winning_length line_length stones_to_win marks_to_win to_win win_count",
    "rows": "height row_count num_rows n_rows board_rows board_height h",
    "columns": "width cols col_count column_count num_columns num_cols n_columns n_cols board_columns board_width w",
    "rows and columns": "size dimensions dimension dims dim shape board_size grid_size",
    "layers": "n_layers num_layers",
    "game": "game_type game_name variant preset ruleset",
    "level": "difficulty strength skill ai_difficulty difficulty_level skill_level ai_level",
    "max_depth": "depth search_depth depth_limit",
    "max_nodes": "nodes node_limit num_nodes",
    "time_limit_ms": "timeout time time_limit time_ms thinking_time move_time max_time",
    "seed": "random_seed rng_seed",
    "top": "multi_pv top_n top_k top_moves",
    "only": "available_moves legal_moves valid_moves allowed_moves possible_moves",
    "exclude": "",
    "record": "sgf psq game_record",
    "requests": "boards positions queries items batch",
    "wrap": "wrap_around wrapped torus toroidal",
    **{
        name: f"{name}_rules is_{name} has_{name} {name}_enabled"
        for name, rule in RULES.items()
        if rule.kind == "switch"
    },
    "marks": "",
    "directions": "",
    "composed": "",
    "values": "",
    "pruning": "",
    "max_plies": "",
    "": "row column col players levels game_id winning_line last_move",
}
"""Other names of fields, in any case and with or without ``_`` and ``-``; the last ones mean several things."""

SGF_RULES = {
    "0": "gomoku", "freestyle": "gomoku", "gomoku": "gomoku", "1": "standard-gomoku", "standard": "standard-gomoku",
    "4": "renju", "renju": "renju", "8": "caro", "caro": "caro",
}  # fmt: skip
"""The games that ``RU`` of SGF names: in words, or with the numbers of Piskvork's ``INFO rule``."""
SGF_GAMES = {"1": "Go", "2": "Othello", "3": "chess", "11": "Hex"}
"""The names of other games, by ``GM`` of SGF."""
SGF_SIDES = {"B": "X", "W": "O"}
SGF_BEGINNERS = {"b": "X", "1": "X", "w": "O", "2": "O"}
"""The side to move by the first letter of ``PL``."""
SGF_STONES = {"AB": "X", "AW": "O", "AE": "."}
"""The mark that each of these properties of SGF sets up."""
MAX_RECORD = 1_000_000  # the most characters, or bytes, of a record
MAX_NODES = 10_000  # the most nodes of a main line; each move is one
MAX_STONES = 4 * MAX_CELLS  # the most stones set up; later stones may replace earlier ones
MAX_NAME = 100  # characters of a player's name

FOR_JAVASCRIPT = {
    "alphabets": ALPHABETS,
    "small_letters": SMALL_LETTERS,
    "empty_marks": EMPTY_MARKS,
    "blocked": BLOCKED_MARK,
    "ignored": IGNORED,
    "results": RESULTS,
    "sgf_rules": SGF_RULES,
    "sgf_sides": SGF_SIDES,
    "sgf_beginners": SGF_BEGINNERS,
    "sgf_stones": SGF_STONES,
    "max_side": MAX_SIDE,
    "max_digit_columns": MAX_DIGIT_COLUMNS,
    "max_board_text": MAX_BOARD_TEXT,
    "max_record": MAX_RECORD,
    "max_nodes": MAX_NODES,
    "max_stones": MAX_STONES,
    "max_name": MAX_NAME,
}
"""The tables for the page and for the engine in the browser."""
