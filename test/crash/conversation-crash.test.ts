import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MODEL, post, readEvents, startScript } from '../../src/conversations/conversations-for-tests.ts';
import { call } from '../support/call.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startFakeMcp } from '../support/mcp-server.ts';
import { rounds } from '../support/rounds.ts';
import { CRASH_KEY, startServer } from './start-server.ts';

const ROUNDS = rounds(1, 5);
const RUNS = 20;
const key = CRASH_KEY;
const path = '/v1/conversations';
type Entry = { type: string; content: string };

inFull.it(
  'a killed server has every finished entry, and every conversation goes on after it',
  async () => {
    const dir = temporaryDir();
    const config = join(dir, 'tramontane.yaml');
    const { upstream, says } = await startScript();
    const capabilities = { completion_chat: true, function_calling: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'scripted', capabilities };
    writeFileSync(config, JSON.stringify({ models: [model] }));
    const words = Array.from({ length: 30 }, (_, n) => `w${n} `);
    const whole = words.join('');
    const ids: string[] = [];

    let { child, url } = await startServer(join(dir, 'data'), config);
    for (let n = 0; n < RUNS; n++) {
      const { body } = await call({ url, key }, path, { body: { model: MODEL, inputs: 'Hi' } });
      ids.push((body as { conversation_id: string }).conversation_id);
    }
    for (let round = 0; round < ROUNDS; round++) {
      const before = await Promise.all(ids.map((id) => historyOf({ url, key }, id)));
      says(...ids.map(() => ({ words, paceMs: 10 })));
      const streams = ids.map((id) =>
        post({ url, key }, `${path}/${id}`, { inputs: `round ${round}`, stream: true })
          .then((response) => readEvents(response))
          .catch(() => undefined),
      );
      await sleep(100 + Math.random() * 400);
      child.kill('SIGKILL');
      await Promise.all([once(child, 'close'), ...streams]);
      ({ child, url } = await startServer(join(dir, 'data'), config));
      await Promise.all(ids.map((id, index) => goOn(id, before[index] ?? [], round)));
    }

    async function goOn(id: string, known: Entry[], round: number): Promise<void> {
      // The interrupted run is ended or resumed at once; then the conversation is free.
      const events = await fetch(`${url}${path}/${id}/events`, { headers: { authorization: `Bearer ${key}` } });
      expect((await readEvents(events)).events.at(-1)?.event).toMatch(/^conversation\.response\.(done|error)$/);
      const after = await historyOf({ url, key }, id);
      expect(after.slice(0, known.length)).toEqual(known);
      const added = after.slice(known.length).map(({ type, content }) => [type, content]);
      const asked = ['message.input', `round ${round}`];
      expect([[], [asked, ['message.output', whole]], [asked, ['message.output', 'Hello there']]]).toContainEqual(
        added,
      );
      const answer = await call({ url, key }, `${path}/${id}`, { body: { inputs: 'Go on' } });
      expect(answer.status, answer.text).toBe(200);
    }
  },
  120_000,
);

inFull.it(
  'a call to a connector that had begun when the server was killed is not made again, and one that was not is made',
  async () => {
    const dir = temporaryDir();
    const config = join(dir, 'tramontane.yaml');
    const { upstream, says } = await startScript();
    const fake = await startFakeMcp();
    const capabilities = { completion_chat: true, function_calling: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'scripted', capabilities };
    writeFileSync(config, JSON.stringify({ models: [model], connectors: [{ id: 'wiki', url: fake.url }] }));
    const said = (text: string) => ({ content: [{ type: 'text', text }] });
    fake.answer = ({ arguments: { text } }) =>
      text === 'first' ? new Promise(() => undefined) : said(`heard ${text}`);

    const killed = await startServer(join(dir, 'data'), config);
    const calls = ['first', 'second'].map((text, n) => ({ name: 'echo', arguments: { text }, id: `abcdefgh${n}` }));
    says({ calls }, { words: ['After all.'] });
    const body = { model: MODEL, inputs: 'Hi', stream: true, tools: [{ type: 'connector', connector_id: 'wiki' }] };
    const stream = await post({ url: killed.url, key }, path, body);
    const { events } = await readEvents(stream, (seen) => seen.at(-1)?.event === 'tool.execution.started');
    const conversation_id = String(events[0]?.data.conversation_id);
    await expect.poll(() => fake.calls.length, { timeout: 10_000 }).toBe(1);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'close');

    const { url } = await startServer(join(dir, 'data'), config);
    const rest = await fetch(`${url}${path}/${conversation_id}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect((await readEvents(rest)).events.at(-1)?.event).toBe('conversation.response.done');
    expect(fake.calls.map(({ arguments: given }) => given.text)).toEqual(['first', 'second']);
    expect(await historyOf({ url, key }, conversation_id)).toMatchObject([
      { type: 'message.input' },
      { type: 'tool.execution', info: { error: 'The server stopped while this tool ran. It was not run again.' } },
      { type: 'tool.execution', info: { content: [{ text: 'heard second' }] } },
      { type: 'message.output', content: 'After all.' },
    ]);
  },
  60_000,
);

async function historyOf(here: { url: string; key: string }, id: string): Promise<Entry[]> {
  return ((await call(here, `${path}/${id}/history`)).body as { entries: Entry[] }).entries;
}
