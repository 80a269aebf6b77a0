"""Scores replies by the example's reward, in the machinery of `verifiers`; run where that package is installed."""

import asyncio
import sys
from pathlib import Path

import verifiers.v1 as vf

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "research"))
from verifiers_rewards import MoveTaskset


async def main() -> None:
    tasks = {task.data.moves: task for task in MoveTaskset(vf.TasksetConfig())}
    for moves, reply in (
        ("12121", "My move: 1"),
        ("12121", "7"),
        ("343", "3"),
        ("343", "I take 4"),
        ("343", "I resign"),
    ):
        task = tasks[moves]
        subject = {"type": "MoveTask", "data": task.data}
        trace = vf.Trace(task=subject, agent={"config": vf.AgentConfig()}, root_reply=reply)
        await task.score(trace)
        print(trace.rewards["quality"].value)


asyncio.run(main())
