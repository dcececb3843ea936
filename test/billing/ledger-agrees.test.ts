import { Agent, fetch } from 'undici';
import { expect, it, vi } from 'vitest';
import { createRandom } from '../../quality/campaigns/support/random.ts';
import { engineFor, modelOf } from '../../src/chat/chat-for-tests.ts';
import { chatRoutes, createChatService } from '../../src/chat/index.ts';
import { createEmbeddingService, embeddingRoutes } from '../../src/embeddings/index.ts';
import { createGuardrailService, guardrailRoutes } from '../../src/guardrails/index.ts';
import { createLog } from '../../src/kit/base/log.ts';
import type { Database } from '../../src/kit/db/index.ts';
import { createHttpServer, type Idempotency, type Scope } from '../../src/kit/http/index.ts';
import { createMeter } from '../../src/metering/index.ts';
import { createTestClock, newPayer, openMetering } from '../../src/metering/metering-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { startCountingUpstream } from './counting-upstream.ts';
import { type Drawn, drawRequest } from './draw-request.ts';

const SEED = 20_261_116;
const AT_ONCE = 32;

onSqliteFirst('a model server that counts', (test) => {
  it('agrees with the ledger to the token, whatever failed, was repeated, mended or left', async () => {
    const random = createRandom(SEED);
    const requests = Array.from({ length: rounds(60, 10_000) }, (_, index) => drawRequest(index, random));
    const database = await test.open();
    const { url, flush } = await serve(database, requests);
    const waiting = requests.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const drawn of waiting) await send(url, drawn);
      }),
    );
    const expected = requests.flatMap(({ mark, plans }) => [
      `${mark} model ${plans.chat.used.prompt} ${plans.chat.used.completion}`,
      `${mark} guard ${plans.moderation.used.prompt} ${plans.moderation.used.completion}`,
    ]);
    await vi.waitFor(
      async () => {
        await flush();
        expect(await readLedger(database, requests)).toEqual(expected);
      },
      { timeout: 20_000 },
    );
    const calls = requests.reduce((sum, { plans }) => sum + plans.chat.calls + plans.moderation.calls, 0);
    expect(calls).toBeGreaterThan(requests.length);
  }, 600_000);
});

/** The rooms behind real HTTP, on a real ledger. */
async function serve(database: Database, requests: readonly Drawn[]) {
  const byMark = (kind: keyof Drawn['plans']) => new Map(requests.map(({ mark, plans }) => [mark, plans[kind]]));
  const upstream = await startCountingUpstream({ chat: byMark('chat'), moderation: byMark('moderation') });
  // Two servers for each model, and no breaker: it would only let fewer requests through.
  const engine = engineFor([upstream, upstream], { embeds: true, breaker: { failuresMax: Number.MAX_SAFE_INTEGER } });
  const models = { find: (id: string) => modelOf(id, { engine, capabilities: { moderation: id === 'guard' } }) };
  const clock = createTestClock();
  const { metering } = openMetering(database, clock);
  await metering.start();
  atEnd(() => metering.stop());
  const meter = createMeter(metering);
  const log = createLog('fatal', { write: () => undefined });
  const common = { models, meter, now: clock.now, log };
  const guardrails = createGuardrailService(common);
  const chat = createChatService({ ...common, guardrails });
  const embeddings = createEmbeddingService(common);
  const routes = [...chatRoutes(chat), ...guardrailRoutes(guardrails), ...embeddingRoutes(embeddings)];
  const permissions = new Set(routes.map(({ permission }) => permission));
  const scope = { principal: 'p', permissions, ...newPayer() } as unknown as Scope;
  const http = createHttpServer({
    routes,
    authenticate: () => scope,
    log,
    idempotency: {} as Idempotency,
    checkResponses: true,
  });
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 });
  atEnd(() => http.drain(0));
  return { url, flush: metering.flush };
}

const clients = new Agent({ connections: AT_ONCE });

async function send(url: string, { mark, path, body, plans }: Drawn): Promise<void> {
  const leave = new AbortController();
  let chunks = 0;
  let chunksMax = Number.POSITIVE_INFINITY;
  const leaveOnceRead = () => {
    if (chunks >= chunksMax) leave.abort();
  };
  plans.moderation.leaveAfter = plans.chat.leaveAfter = (count) => {
    chunksMax = count;
    leaveOnceRead();
  };
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x', 'x-request-id': mark },
      body: JSON.stringify(body),
      signal: leave.signal,
      dispatcher: clients,
    });
    let text = '';
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      chunks = text.match(/"delta":\{"content":"[^"]/g)?.length ?? 0;
      leaveOnceRead();
    }
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  }
}

/** In the form of the expectation: a line for the model and one for the guard of each request. */
async function readLedger(database: Database, requests: readonly Drawn[]): Promise<string[]> {
  const rows = await database.db
    .selectFrom('usage_records')
    .select(['request_id', 'model', 'prompt_tokens', 'completion_tokens'])
    .execute();
  const found = new Map(rows.map((row) => [`${row.request_id} ${row.model === 'guard' ? 'guard' : 'model'}`, row]));
  // A row per request and model: attempts are summed up, and nothing is written twice.
  expect(found.size).toBe(rows.length);
  return requests.flatMap(({ mark }) =>
    ['model', 'guard'].map((which) => {
      const row = found.get(`${mark} ${which}`);
      return `${mark} ${which} ${row?.prompt_tokens ?? 0} ${row?.completion_tokens ?? 0}`;
    }),
  );
}
