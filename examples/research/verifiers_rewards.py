"""A task set for `verifiers`: a reward judges a language model's move by the value that the move loses."""
# pip install numpy verifiers==0.4.0

import kinarow
import verifiers.v1 as vf
from peer import lost


class Data(vf.TaskData):
    moves: str


class MoveTask(vf.Task[Data, vf.State, vf.TaskConfig]):
    @vf.reward
    async def quality(self, trace: vf.Trace) -> float:
        """1 for a best move, 0 for one that gives a draw away, -1 for a lost win or what is no possible move."""
        position = kinarow.Position.from_moves(self.data.moves, game="connect-four")
        try:
            (_, move), *_ = position.replay(trace.last_reply[-1:])
        except (kinarow.InputError, ValueError):
            return -1.0
        return 1.0 - lost(position, move)


class MoveTaskset(vf.Taskset[MoveTask, vf.TasksetConfig]):
    def load(self):
        for moves in ("343", "12121", "4142"):
            prompt = f"Connect Four, columns played so far: {moves}. Think, then end with the column of your move."
            yield MoveTask(Data(prompt=prompt, moves=moves), self.config.task)
