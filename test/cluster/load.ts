import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { MODEL } from '../../src/conversations/conversations-for-tests.ts';
import { type Answer, call } from '../support/call.ts';
import { readStream } from './read-stream.ts';
import type { Cluster } from './start-cluster.ts';

const WRITERS = 2;
/** Between two requests of one client: the test is about losses, not throughput. */
const PAUSE_MS = 150;
const READING = 4;
const READ_PAUSE_MS = 30;
const READERS = 10;
const BOUNDARY = 'the-boundary-of-the-campaign';
/** Ends a counter, which waits for more than a hundred. */
const ENOUGH = 1000;
/** The error of a run whose server died during a message: final, and repeated for the same key. */
const CUT_OFF = 'The server stopped during this answer';

type Execution = { status: string; result: number };

/** Clients of every kind at the one address that record what was acknowledged. */
export function createLoad(cluster: Cluster) {
  const acknowledged = {
    prompts: new Map<string, string>(),
    /** The inputs that were answered, by conversation. */
    conversations: new Map<string, string[]>(),
    executions: new Map<string, number>(),
    /** The content that was uploaded, by the id of its file. */
    files: new Map<string, string>(),
    readers: { events: 0, connections: 0 },
  };
  const read = new Map<string, Promise<number[]>>();
  let asked = 0;
  const unanswered: string[] = [];

  /** Undefined without a complete response, or with one that allows a retry. */
  async function ask(path: string, options: Parameters<typeof call>[2] = {}): Promise<Answer | undefined> {
    asked++;
    const answer = await call(cluster, path, options).catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    unanswered.push(`${path.replaceAll(/[-\w]{30,}/g, '…')} ${answer?.status ?? 'broken'}`);
    if (answer?.text.includes(CUT_OFF)) return answer;
    await sleep(20);
    return undefined;
  }

  async function insist(path: string, options: Parameters<typeof call>[2] = {}): Promise<Answer> {
    for (;;) {
      const answer = await ask(path, options);
      if (answer) return answer;
    }
  }

  async function writePrompt(): Promise<void> {
    const [name, content] = [`p-${randomUUID()}`, randomUUID()];
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await ask('/v2/prompts', { body: { name, definition: { content } }, headers });
    if (!answer) return;
    // 409: the response to the balancer's first attempt was lost.
    expect([200, 409], answer.text).toContain(answer.status);
    if (answer.status === 200) acknowledged.prompts.set(name, content);
  }

  async function writeFile(): Promise<void> {
    const content = JSON.stringify({ custom_id: randomUUID() });
    const part = (name: string, more: string, value: string) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const raw = `${part('purpose', '', 'batch')}${part('file', '; filename="lines.jsonl"', content)}--${BOUNDARY}--\r\n`;
    const headers = {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'idempotency-key': randomUUID(),
    };
    const answer = await ask('/v1/files', { raw, headers });
    if (!answer) return;
    expect([200, 409], answer.text).toContain(answer.status);
    if (answer.status === 200) acknowledged.files.set((answer.body as { id: string }).id, content);
  }

  async function converse(): Promise<void> {
    const first = randomUUID();
    const body = { model: MODEL, inputs: first };
    const made = await ask('/v1/conversations', { body, headers: { 'idempotency-key': randomUUID() } });
    if (made?.status !== 200) return;
    const { conversation_id: id } = made.body as { conversation_id: string };
    const inputs = [first];
    acknowledged.conversations.set(id, inputs);
    for (let n = 0; n < 2; n++) {
      const said = randomUUID();
      const headers = { 'idempotency-key': randomUUID() };
      const answer = await insist(`/v1/conversations/${id}`, { body: { inputs: said }, headers });
      // A run that was cut off by the death of a server ends with an error, and the conversation continues.
      if (answer.status === 200) inputs.push(said);
    }
  }

  async function startExecution(from: number): Promise<void> {
    const execution_id = `e-${randomUUID()}`;
    const headers = { 'idempotency-key': randomUUID() };
    const body = { execution_id, input: { from } };
    const answer = await insist('/v1/workflows/five-steps/execute', { body, headers });
    // 409: the response to an earlier attempt was lost, and the execution runs.
    expect([200, 409], answer.text).toContain(answer.status);
    acknowledged.executions.set(execution_id, from);
  }

  /** Executions that last as long as the campaign, each with a reader that every kill may cut off. */
  async function openCounters(): Promise<void> {
    for (let n = 0; n < READERS; n++) {
      const execution_id = `c-${randomUUID()}`;
      const answer = await insist('/v1/workflows/counter/execute', { body: { execution_id, input: {} } });
      expect([200, 409], answer.text).toContain(answer.status);
      const path = `/v1/workflows/events/stream?root_workflow_exec_id=${execution_id}`;
      read.set(execution_id, readStream(cluster, path, 'WORKFLOW_EXECUTION_COMPLETED', acknowledged.readers));
    }
  }

  /** Reads are most of what servers do. */
  async function readPrompt(n: number): Promise<void> {
    const names = [...acknowledged.prompts.keys()];
    if (names.length > 0) expect((await insist(`/v2/prompts/${names[n % names.length]}`)).status).toBe(200);
  }

  const counter = (n: number) => `/v1/workflows/executions/${[...read.keys()][n % READERS]}`;

  /** The total is zero and stays zero however often it is doubled, but each update is a step with its events. */
  async function double(n: number): Promise<void> {
    await insist(`${counter(n)}/updates`, { body: { name: 'double' } });
  }

  return {
    acknowledged,
    unanswered: () => unanswered,
    /** The share of requests that got their answer at the first attempt of the client. */
    availability: () => 1 - unanswered.length / asked,

    async makeSchedules(count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, () => `s-${randomUUID()}`);
      for (const schedule_id of ids) {
        const schedule = { input: {}, intervals: [{ every: 'PT1S' }], policy: { overlap: 6 } };
        const body = { schedule, workflow_identifier: 'tick', schedule_id };
        expect((await call(cluster, '/v1/workflows/schedules', { body })).status).toBe(201);
      }
      return ids;
    },

    async run(signal: AbortSignal): Promise<void> {
      const keep = async (work: (n: number) => Promise<void>, pauseMs = PAUSE_MS) => {
        for (let n = 0; !signal.aborted; n++) {
          await work(n);
          await sleep(pauseMs);
        }
      };
      await openCounters();
      await Promise.all([
        keep(double),
        ...Array.from({ length: WRITERS }, () => keep(writePrompt)),
        ...Array.from({ length: WRITERS }, () => keep(converse)),
        keep(writeFile),
        ...Array.from({ length: READING }, () => keep(readPrompt, READ_PAUSE_MS)),
        keep(startExecution),
      ]);
    },

    /** No scheduled time follows. */
    async pause(ids: string[]): Promise<void> {
      for (const id of ids) await insist(`/v1/workflows/schedules/${id}/pause`, { method: 'POST', body: {} });
    },

    /** Waits until every execution has ended, and returns their results. */
    async settle(): Promise<(Execution & { id: string; from: number })[]> {
      for (let n = 0; n < READERS; n++)
        await insist(`${counter(n)}/signals`, { body: { name: 'add', input: { by: ENOUGH } } });
      const ends = [];
      for (const [id, from] of acknowledged.executions) {
        for (;;) {
          const execution = (await insist(`/v1/workflows/executions/${id}`)).body as Execution;
          if (['RUNNING', 'RETRYING_AFTER_ERROR'].includes(execution.status)) {
            await sleep(50);
            continue;
          }
          ends.push({ ...execution, id, from });
          break;
        }
      }
      return ends;
    },

    async lostPrompts(): Promise<string[]> {
      const lost = [];
      for (const [name, content] of acknowledged.prompts) {
        const { body } = await insist(`/v2/prompts/${name}`);
        if ((body as { definition?: { content: string } }).definition?.content !== content) lost.push(name);
      }
      return lost;
    },

    async lostFiles(): Promise<string[]> {
      const lost = [];
      for (const [id, content] of acknowledged.files)
        if ((await insist(`/v1/files/${id}/content`)).text !== content) lost.push(id);
      return lost;
    },

    /** Every acknowledged input is in the history once, with a reply right after it. */
    async lostConversations(): Promise<string[]> {
      const lost = [];
      for (const [id, inputs] of acknowledged.conversations) {
        const { body } = await insist(`/v1/conversations/${id}/history`);
        const { entries } = body as { entries: { type: string; content: string }[] };
        const isKept = inputs.every((input) => {
          const at = entries.findIndex(({ content }) => content === input);
          const isOnce = entries.findLastIndex(({ content }) => content === input) === at;
          return at !== -1 && isOnce && entries[at + 1]?.content === `You said: ${input}`;
        });
        if (!isKept) lost.push(id);
      }
      return lost;
    },

    async misreadStreams(): Promise<string[]> {
      const misread = [];
      for (const [id, reading] of read) {
        const seen = await reading;
        const stored = await cluster.query<{ seq: string }>(
          `select seq from events where stream like $1 order by seq`,
          [`workflow:%:${id}`],
        );
        if (JSON.stringify(seen) !== JSON.stringify(stored.map(({ seq }) => Number(seq)))) misread.push(id);
      }
      return misread;
    },

    /** The started times of each schedule, up to the last that all servers had time to start. */
    async scheduled(ids: string[]): Promise<number[][]> {
      const rows = await cluster.query<{ schedule_id: string; at: string }>(
        `select schedule_id, metadata->>'scheduled_at' as at from workflow_runs where schedule_id = any($1) order by at`,
        [ids],
      );
      return ids.map((id) => rows.filter(({ schedule_id }) => schedule_id === id).map(({ at }) => Date.parse(at)));
    },
  };
}
