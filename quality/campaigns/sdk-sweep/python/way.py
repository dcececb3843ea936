"""How functions of the SDK are called and what became of each call."""
import asyncio
import itertools

from mistralai.client import errors

loop = asyncio.new_event_loop()


class Way:
    """One way to call: the plain functions, or their twins that are awaited."""

    def __init__(self, client, suffix, log):
        self.client, self.suffix, self.log = client, suffix, log

    def __call__(self, path, *given, most=None, **named):
        """What the function of that path answers; of a stream without an end, the first `most` events."""
        *rooms, name = path.split(".")
        room = self.client
        for part in rooms:
            room = getattr(room, part)
        name += self.suffix
        calls = self.log.setdefault(".".join([*rooms, name]), {"parsed": 0, "refused": [], "failed": []})
        try:
            answer = self.read(getattr(room, name)(*given, **named), most)
        except errors.MistralError as error:
            # An answer that the SDK cannot read is one of its errors too, with the status of the answer.
            if error.status_code >= 400 and not isinstance(error, errors.ResponseValidationError):
                calls["refused"].append(error.status_code)
            else:
                calls["failed"].append(repr(error))
            raise
        except Exception as error:
            calls["failed"].append(repr(error))
            raise
        calls["parsed"] += 1
        return answer


    def read(self, answer, most):
        """Streams become lists, lists all of their pages, files their bytes."""
        if asyncio.iscoroutine(answer):
            answer = loop.run_until_complete(answer)
        if type(answer).__name__ == "EventStream":
            with answer:
                return list(itertools.islice(answer, most))
        if hasattr(answer, "__aiter__"):
            return loop.run_until_complete(gather(answer, most))
        if hasattr(answer, "aread"):
            return loop.run_until_complete(answer.aread()) if self.suffix else answer.read()
        if callable(getattr(answer, "next", None)):
            return pages(answer)
        return answer


def pages(page):
    found = []
    while page is not None:
        found.append(page.result)
        page = page.next()
        if asyncio.iscoroutine(page):
            page = loop.run_until_complete(page)
    return found


async def gather(stream, most):
    found = []
    async for event in stream:
        found.append(event)
        if len(found) == most:
            break
    return found
