import { expect, it } from 'vitest';
import { chatWeightsForTests, testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const STREAMS = 20;
const SEQUENCES = 4;
const weights = await chatWeightsForTests();

type Ending = { status: number; retryAfter: string | null; events: string[] };

/** Reads one stream until it ends or fails. */
async function stream(server: TestServer, index: number, began: () => void): Promise<Ending> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'tiny',
      stream: true,
      max_tokens: 400,
      temperature: 1,
      messages: [{ role: 'user', content: `Tell a very long story about the number ${index}.` }],
    }),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    if (response.status === 200 && text === '') began();
    text += Buffer.from(chunk).toString();
  }
  const events = text.split('\n\n').filter((event) => event !== '');
  return { status: response.status, retryAfter: response.headers.get('retry-after'), events };
}

inFull.given(weights).describe('the process of a model is killed during 20 streams', () => {
  it('and each of them ends with an error, while the server goes on answering and the next chat works', async () => {
    const server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      file: {
        models: [{ id: 'tiny', engine: 'llama', weights: 'smollm2-135m-instruct', context: 512, sequences: SEQUENCES }],
      },
    });
    const hello = { model: 'tiny', max_tokens: 2, messages: [{ role: 'user', content: 'Hello' }] };
    expect((await call(server, '/v1/chat/completions', { body: hello })).status).toBe(200);

    const { promise: running, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const endings = Array.from({ length: STREAMS }, (_, index) =>
      stream(server, index, () => {
        if (++begun === SEQUENCES) resolve();
      }),
    );
    await running;
    process.kill(loadedProcess(server), 'SIGKILL');

    let isOver = false;
    const all = Promise.all(endings).finally(() => {
      isOver = true;
    });
    do expect((await call(server, '/v1/models')).status).toBe(200);
    while (!isOver);

    let broken = 0;
    for (const { status, retryAfter, events } of await all) {
      const last = events.at(-1) ?? '';
      if (last === 'data: [DONE]') continue;
      broken++;
      const error = JSON.parse(status === 200 ? last.replace('data: ', '') : last) as Record<string, unknown>;
      expect(error).toMatchObject({ object: 'error', message: expect.stringContaining('started again') });
      // Before its first byte a stream fails like an ordinary request, with a status and Retry-After.
      if (status !== 200) expect([status, retryAfter]).toEqual([503, '1']);
    }
    expect(broken).toBeGreaterThanOrEqual(STREAMS - SEQUENCES);

    const next = await call(server, '/v1/chat/completions', { body: hello });
    expect(next).toMatchObject({ status: 200, body: { model: 'tiny' } });
  }, 240_000);
});

/** The newest process in which, according to the log, a model was loaded. */
function loadedProcess({ logs }: TestServer): number {
  const loaded = logs.map((line) => JSON.parse(line) as { msg?: string; processId?: number });
  return loaded.findLast(({ msg }) => msg === 'the model is loaded')?.processId ?? Number.NaN;
}
