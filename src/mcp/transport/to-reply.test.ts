import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RawReply, SseReply } from '../../kit/http/index.ts';
import { toReply } from './to-reply.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const close = vi.fn(async () => undefined);

async function textOf(reply: SseReply | RawReply): Promise<string> {
  let text = '';
  for await (const chunk of (reply as SseReply).events) text += chunk;
  return text;
}

it('a reply that takes long opens its stream first, so that heartbeats keep it alive', async () => {
  let settle: (response: Response) => void = () => undefined;
  const pending = new Promise<Response>((resolve) => {
    settle = resolve;
  });
  const answered = toReply(pending, { resumable: false, close });
  await vi.advanceTimersByTimeAsync(1000);
  const reply = await answered;
  expect(reply).toHaveProperty('events');
  const text = textOf(reply);
  settle(Response.json({ jsonrpc: '2.0', id: 1, result: {} }));
  expect(await text).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  expect(close).toHaveBeenCalledOnce();
});

it('a refusal that comes at once keeps its status', async () => {
  const refusal = Response.json({ error: {} }, { status: 404 });
  expect(await toReply(Promise.resolve(refusal), { resumable: false, close })).toMatchObject({
    status: 404,
    body: '{"error":{}}',
    headers: { 'content-type': 'application/json' },
  });
});
