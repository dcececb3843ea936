import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { call } from '../support/call.ts';
import { temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { completion, json, startUpstream } from '../support/upstream.ts';
import { CRASH_KEY, startServer } from './start-server.ts';

const KILLS = rounds(2, 50);
const REQUESTS = 100 * KILLS;
const key = CRASH_KEY;
const path = '/v1/batch/jobs';

type Job = { status: string; completed_requests: number; succeeded_requests: number; outputs: { custom_id: string }[] };

inFull.it(
  'a job whose server is killed again and again answers each request once, and none is lost',
  async () => {
    const dir = temporaryDir();
    const config = join(dir, 'tramontane.yaml');
    const upstream = await startUpstream();
    // Slow enough that the job outlasts the kills.
    upstream.answerWith((_, response) => void setTimeout(() => json(response, 200, completion('ok')), 50));
    writeFileSync(
      config,
      JSON.stringify({
        models: [{ id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'm' }],
        batch: { concurrency: 16 },
      }),
    );
    let { child, url } = await startServer(join(dir, 'data'), config);
    const ids = Array.from({ length: REQUESTS }, (_, n) => `r${n}`);
    const requests = ids.map((id) => ({ custom_id: id, body: { messages: [{ role: 'user', content: id }] } }));
    const made = await call({ url, key }, path, {
      body: { endpoint: '/v1/chat/completions', model: 'small', requests },
    });
    const { id } = made.body as { id: string };
    const job = async () => (await call({ url, key }, `${path}/${id}?inline=true`)).body as Job;

    let completed = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(100 + Math.random() * 200);
      const before = await job();
      expect(before.completed_requests).toBeGreaterThanOrEqual(completed);
      completed = before.completed_requests;
      child.kill('SIGKILL');
      await once(child, 'close');
      ({ child, url } = await startServer(join(dir, 'data'), config));
    }
    expect(completed).toBeLessThan(REQUESTS);
    const status = async () => {
      const { status } = (await call({ url, key }, `${path}/${id}`)).body as Job;
      expect(['QUEUED', 'RUNNING', 'SUCCESS']).toContain(status);
      return status;
    };
    await expect.poll(status, { timeout: rounds(60_000, 300_000) }).toBe('SUCCESS');
    const last = await job();
    expect(last).toMatchObject({ completed_requests: REQUESTS, succeeded_requests: REQUESTS });
    expect(last.outputs.map(({ custom_id }) => custom_id)).toEqual(ids);
  },
  600_000,
);
