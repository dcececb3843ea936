import { expect, inject, it } from 'vitest';
import { usesStore } from '../../quality/campaigns/platform/uses-store.ts';
import { MODEL } from '../../src/conversations/conversations-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import { inFull } from '../support/in-full.ts';
import { rounds } from '../support/rounds.ts';
import { startStore } from '../support/s3.ts';
import { startUpstream } from '../support/upstream.ts';
import { createLoad } from './load.ts';
import { startCluster } from './start-cluster.ts';
import { startWorkerProcess } from './start-worker.ts';

const serverUrl = inject('postgresUrl');
const KILLS = Number(process.env.TRAMONTANE_TEST_KILLS ?? rounds(1, 120));
const KILL_EVERY_MS = 5000;
const SCHEDULES = 2;
/** One request that dies with its server is more than a thousandth of those of a few seconds. */
const AVAILABILITY_MIN = KILLS < 20 ? 0.98 : 0.999;

inFull.given(serverUrl).describe('three servers under mixed load, one of them killed every five seconds', () => {
  it('lose no acknowledged write, answer nearly all, let no reader that resumes miss an event, and start each scheduled time once', {
    timeout: KILLS * 4 * KILL_EVERY_MS + 120_000,
  }, async () => {
    const upstream = await startUpstream();
    const capabilities = { completion_chat: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'scripted', capabilities };
    const store = usesStore ? await startStore() : undefined;
    if (store) atEnd(() => store.stop());
    const cluster = await startCluster({
      serverUrl: serverUrl ?? '',
      file: { models: [model] },
      ...(store && { environment: store.environment }),
    });
    const worker = await startWorkerProcess(cluster, 'worker');
    const load = createLoad(cluster);
    const schedules = await load.makeSchedules(SCHEDULES);
    const stopping = new AbortController();
    const loading = load.run(stopping.signal);
    const began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) {
      const next = performance.now() + KILL_EVERY_MS;
      await cluster.kill(kill % 3);
      await cluster.start(kill % 3);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
    stopping.abort();
    await loading;
    const seconds = (performance.now() - began) / 1000;
    await load.pause(schedules);
    const ends = await load.settle();

    const { prompts, conversations, executions, files, readers } = load.acknowledged;
    const availability = load.availability();
    // Everything that was acknowledged is stored, as it was acknowledged.
    expect(await load.lostPrompts()).toEqual([]);
    expect(await load.lostConversations()).toEqual([]);
    expect(files.size).toBeGreaterThan(0);
    expect(await load.lostFiles()).toEqual([]);
    expect(ends.filter(({ status, result, from }) => status !== 'COMPLETED' || result !== 2 * from + 6)).toEqual([]);
    // Each reader received, over all its connections, exactly what is stored: nothing twice, nothing missing.
    expect(await load.misreadStreams()).toEqual([]);
    const starts = await load.scheduled(schedules);
    for (const times of starts) {
      expect(times.length).toBeGreaterThanOrEqual(Math.floor(seconds) - 1);
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual(times.map((_, index) => index * 1000));
    }
    worker.kill('SIGKILL');
    console.info(
      `${KILLS} kills in ${Math.round(seconds)} s, prompts ${prompts.size}, conversations ${conversations.size}, executions ${executions.size}, files ${files.size}, ` +
        `events read ${readers.events} over ${readers.connections} connections, ` +
        `scheduled starts ${starts.reduce((sum, { length }) => sum + length, 0)}, refused or unanswered ${load.unanswered().length}: ${load.unanswered().slice(0, 20).join(', ')}; ` +
        `availability ${(100 * availability).toFixed(2)} %`,
    );
    expect(availability).toBeGreaterThanOrEqual(AVAILABILITY_MIN);
  });
});
