import { expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { completion, json, startUpstream } from '../../../test/support/upstream.ts';
import type { ChatRequest, EngineMessage } from '../engine.ts';
import { charactersOf, chatBody, chatBodyInTurns } from './request-body.ts';
import { createUpstreamEngine } from './upstream-engine.ts';

const LONG = 'Grüße, 日本語, 😀 and "quotes". '.repeat(2000);
const form = { model: 'm"1', dialect: 'openai' as const, stream: true, choices: 1, knowsFormats: true };

function requestOf(messages: EngineMessage[], more: Partial<ChatRequest> = {}): ChatRequest {
  const plain = { tools: [], toolChoice: 'auto' as const, parallelToolCalls: true, choices: 1, stop: [] };
  return { messages, format: { type: 'text' }, ...plain, ...more };
}

function longTalk(turns: number): EngineMessage[] {
  return Array.from({ length: turns }, (_, turn) =>
    turn % 2 === 0
      ? { role: 'user', content: `${turn} ${LONG}` }
      : { role: 'assistant', content: `${turn}`, toolCalls: [], prefix: false },
  );
}

it('a large body is the same in pieces as in one', async () => {
  const parts: EngineMessage = { role: 'user', content: [{ type: 'text', text: LONG }] };
  for (const messages of [[], longTalk(1), longTalk(20), longTalk(21), [...longTalk(9), parts]])
    for (const [request, shape] of [
      [requestOf(messages), form],
      [requestOf(messages), { ...form, stream: false }],
      [requestOf(messages, { tools: [{ name: 'f', description: '', parameters: {}, strict: false }] }), form],
    ] as const) {
      const pieces = await chatBodyInTurns(request, shape);
      expect(Buffer.concat(pieces).toString()).toBe(chatBody(request, shape));
    }
});

it('the text of every kind of content counts', () => {
  const image = { type: 'image_url' as const, url: 'x'.repeat(10) };
  const audio = { type: 'input_audio' as const, data: 'y'.repeat(100) };
  expect(charactersOf([{ role: 'user', content: [{ type: 'text', text: 'z' }, image, audio] }])).toBe(111);
  expect(charactersOf([{ role: 'system', content: 'four' }])).toBe(4);
});

it('a server receives a long conversation whole, and the next request on the same connection', async () => {
  const upstream = await startUpstream();
  upstream.answerWith((_call, response) => json(response, 200, completion('Yes.')));
  const targets = [{ url: upstream.url, apiKey: undefined, model: 'm', timeoutMs: 5000 }];
  const engine = createUpstreamEngine({ targets, retry: { backoffMs: 1 } });
  atEnd(() => engine.close());
  const never = new AbortController().signal;
  const messages = longTalk(40);
  expect(charactersOf(messages)).toBeGreaterThan(1024 * 1024);
  await engine.complete(requestOf(messages), never);
  await engine.complete(requestOf(longTalk(2)), never);
  const sent = upstream.calls.map(({ body }) => (body as { messages: { content: string }[] }).messages);
  expect(sent.map((said) => said.length)).toEqual([40, 2]);
  expect(sent[0]?.[38]?.content).toBe(`38 ${LONG}`);
});
