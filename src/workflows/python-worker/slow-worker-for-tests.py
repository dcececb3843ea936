"""A worker whose steps take as long as the test says."""

import asyncio

import mistralai.workflows as workflows


@workflows.activity(retry_policy_max_attempts=3)
async def wait(name: str, seconds: float) -> str:
    await asyncio.sleep(seconds)
    return f"{name} {seconds}"


@workflows.workflow.define(name="slow")
class Slow:
    @workflows.workflow.entrypoint
    async def run(self, name: str, seconds: list[float]) -> list[str]:
        return [await wait(name, each) for each in seconds]


if __name__ == "__main__":
    asyncio.run(workflows.run_worker([Slow]))
