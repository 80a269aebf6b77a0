"""Prompts (texts that users choose) and resources (data that clients read) of the Model Context Protocol."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from kinarow.errors import InputError, quoted
from kinarow.game.board_svg import picture
from kinarow.game.notation import writes_columns
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, RULES
from kinarow.reading.names import game_name

PROMPTS = {
    "play_a_game": (
        "Play a game with me",
        "Let us play {game}. I make the first move and you answer at level {level} of 10. After each of my moves call "
        "best_move with game {game}, all moves so far as `moves` and this level; make the move that it returns and no "
        "other, and show me its board. If it refuses my move, tell me why and let me choose again. The game is over "
        "when `after.state` is not ongoing. Begin by showing me the empty board and how moves are written.",
    ),
    "explain_position": (
        "Explain this position",
        "Explain the position of {game} after the moves {moves}. Call analyse with game {game} and these moves, show "
        "its board, and say who is better, which moves are best and why, by the values, lines and reasons of the "
        "answer alone. Say of a value that is not proven that it is an estimate.",
    ),
    "set_me_a_puzzle": (
        "Set me a puzzle",
        "Set me a puzzle of {game}. Call the tool puzzle with this game, show me its board, whose move it is and "
        "whether the task is a win or a draw, but not the solution. I answer with a move: compare it with `move`. If "
        "it is wrong, call best_move with `moves` and my move behind them to show me the reply, and let me try again. "
        "Tell me the solution, `line`, when I find it or ask for it.",
    ),
}
"""The title and the text of each prompt."""


class Server(MCPServer):
    """A server that passes its lines through ``check_line``, and reports wrong arguments of prompts as its tools do."""

    check_line: Callable[[bytes], bytes]

    async def run_stdio_async(self) -> None:
        """Answer on standard input and output until the input ends."""

        async def lines() -> AsyncIterator[bytes]:
            async for line in anyio.wrap_file(sys.stdin.buffer):
                yield self.check_line(line)

        async with stdio_server(stdin=cast(Any, lines())) as (messages, answers):
            await self._lowlevel_server.run(messages, answers, self._lowlevel_server.create_initialization_options())

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """Return the messages of a prompt; raise ``MCPError`` for a wrong name or argument."""
        prompts = {prompt.name: prompt.arguments or [] for prompt in await self.list_prompts()}
        if name not in prompts:
            raise MCPError(INVALID_PARAMS, f"no such prompt: {quoted(name)}; the prompts are {', '.join(prompts)}")
        given, taken = arguments or {}, prompts[name]
        wrong = [f"/{each.name}: {each.name} is required" for each in taken if each.required and each.name not in given]
        wrong += [f"/{each}: unknown field" for each in sorted(given.keys() - {known.name for known in taken})]
        if wrong:
            raise MCPError(INVALID_PARAMS, "; ".join(wrong))
        return await super().get_prompt(name, arguments, context)


def add_prompts(server: MCPServer) -> None:
    """Add the prompts."""

    def play_a_game(game: str = "connect-four", level: str = "5") -> str:
        return _prompt("play_a_game", game, level=level)

    def explain_position(game: str, moves: str) -> str:
        return _prompt("explain_position", game, moves=moves)

    def set_me_a_puzzle(game: str = "connect-four") -> str:
        return _prompt("set_me_a_puzzle", game)

    for prompt in (play_a_game, explain_position, set_me_a_puzzle):
        server.prompt(title=PROMPTS[prompt.__name__][0])(prompt)


def _prompt(name: str, game: str, **words: str) -> str:
    try:
        return PROMPTS[name][1].format(game=game_name(game), **words)
    except InputError as wrong:
        raise MCPError(INVALID_PARAMS, _error_text(wrong)) from None


def add_resources(server: MCPServer) -> None:
    """Add the resources."""

    @server.resource("kinarow://rules/{game}", mime_type="text/plain")
    def rules_of_a_game(game: str) -> str:
        """Describe the rules of a named game, and how its moves are written."""
        with _resource_errors():
            return _rules_in_words(game_name(game))

    @server.resource("kinarow://board/{game}{?moves}", mime_type="image/svg+xml")
    def position_as_picture(game: str, moves: str = "") -> str:
        """Draw the position after moves from the empty board of a named game, such as 4453, as SVG."""
        with _resource_errors():
            position = Position.from_moves(moves, game=game)
            made = [cell for _, cell in Position.empty(position.rules).replay(moves)]
            return picture(
                position.rules, position.cells, lit=position.ending().winning_cells, last=made[-1] if made else None
            )


@contextmanager
def _resource_errors() -> Iterator[None]:
    try:
        yield
    except InputError as wrong:
        raise ResourceError(_error_text(wrong)) from None


def _error_text(wrong: InputError) -> str:
    return "; ".join(f"{pointer}: {detail}" for pointer, detail in wrong.problems)


def _rules_in_words(game: str) -> str:
    rules = PRESETS[game]
    special = [f"{name}: {RULES[name].description}" for name in rules.special() if name in RULES]
    written = "its column, counted from 1" if writes_columns(rules) else "column letter and row number from the bottom"
    ending = "loses" if rules.misere else "wins"
    return "\n".join(
        [
            f"{game}: X and O mark a cell of a {rules.size} board in turn; X begins. {rules.goal} in a row {ending}.",
            *special,
            f"A move is written as {'its tile, in a list' if rules.layers > 1 else written}.",
        ]
    )
