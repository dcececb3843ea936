"""The worker of the recording: what the official SDK offers to workflows, once each."""

import asyncio
from datetime import timedelta

import mistralai.workflows as workflows
from pydantic import BaseModel


class Order(BaseModel):
    name: str
    copies: int = 1


class Printed(BaseModel):
    pages: list[str]
    approved_by: str | None = None


@workflows.activity(retry_policy_max_attempts=3)
async def print_page(name: str, number: int) -> str:
    async with workflows.task("printing", state={"done": 0}) as progress:
        await progress.update_state({"done": number})
    return f"{name} {number}"


@workflows.activity(retry_policy_max_attempts=2, retry_policy_backoff_coefficient=1.0)
async def jam(name: str) -> str:
    raise ValueError(f"{name} is stuck")


@workflows.workflow.define(name="print-shop", workflow_display_name="Print shop", search_keys=["name"])
class PrintShop:
    def __init__(self) -> None:
        self.approved_by: str | None = None
        self.pages: list[str] = []
        self.limit = 10

    @workflows.workflow.signal(name="approve")
    async def approve(self, by: str) -> None:
        self.approved_by = by

    @workflows.workflow.query(name="pages")
    def printed(self) -> list[str]:
        return self.pages

    @workflows.workflow.update(name="limit")
    async def set_limit(self, value: int) -> int:
        before, self.limit = self.limit, value
        return before

    @workflows.workflow.entrypoint
    async def run(self, name: str, copies: int = 1) -> Printed:
        await workflows.workflow.add_search_keys({"stage": "printing"})
        for number in range(1, min(copies, self.limit) + 1):
            self.pages.append(await print_page(name, number))
        await workflows.workflow.wait_condition(lambda: self.approved_by is not None)
        return Printed(pages=self.pages, approved_by=self.approved_by)


@workflows.workflow.define(name="print-once")
class PrintOnce:
    @workflows.workflow.entrypoint
    async def run(self, name: str) -> str:
        return await print_page(name, 1)


@workflows.workflow.define(name="print-both")
class PrintBoth:
    @workflows.workflow.entrypoint
    async def run(self, name: str) -> str:
        return await workflows.workflow.execute_workflow(PrintOnce, params=Once(name=name))


class Once(BaseModel):
    name: str


@workflows.workflow.define(name="print-jammed")
class PrintJammed:
    @workflows.workflow.entrypoint
    async def run(self, name: str) -> str:
        return await jam(name)


@workflows.workflow.define(name="print-never")
class PrintNever:
    @workflows.workflow.entrypoint
    async def run(self) -> str:
        await workflows.workflow.sleep(timedelta(hours=1))
        return "never"


if __name__ == "__main__":
    asyncio.run(workflows.run_worker([PrintShop, PrintOnce, PrintBoth, PrintJammed, PrintNever]))
