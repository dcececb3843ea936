import { describe, expect, inject, it } from 'vitest';
import { usesStore } from '../../quality/campaigns/platform/uses-store.ts';
import { MODEL } from '../../src/conversations/conversations-for-tests.ts';
import { atEnd } from '../support/cleanup.ts';
import { rounds } from '../support/rounds.ts';
import { startStore } from '../support/s3.ts';
import { startUpstream } from '../support/upstream.ts';
import { createLoad } from './load.ts';
import { type Cluster, startCluster } from './start-cluster.ts';
import { startWorkerProcess } from './start-worker.ts';

const serverUrl = inject('postgresUrl');
const KILLS = Number(process.env.TRAMONTANE_TEST_KILLS ?? rounds(1, 120));
const KILL_EVERY_MS = 5000;
const SCHEDULES = 2;
/** One request that dies with its server is more than a thousandth of those of a few seconds. */
const AVAILABILITY_MIN = KILLS < 20 ? 0.98 : 0.999;
/** Where the machine is starved, PostgreSQL may take longer than a server waits for it. */
const FAILED_STARTS_MAX = 3;
const CATCH_UP_MS = 300_000;

/** A server that ends while it starts is started again. Returns how often it ended. */
async function startAsSupervised(cluster: Cluster, index: number): Promise<number> {
  for (let failed = 0; ; failed++) {
    try {
      await cluster.start(index);
      return failed;
    } catch (error) {
      if (failed === FAILED_STARTS_MAX) throw error;
    }
  }
}

describe.runIf(serverUrl)('three servers under mixed load, one of them killed every five seconds', () => {
  it('lose no acknowledged write, answer nearly all, let no reader that resumes miss an event, and start each scheduled time once', {
    timeout: KILLS * 4 * KILL_EVERY_MS + CATCH_UP_MS + 120_000,
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
    let kills = 0;
    let failedStarts = 0;
    // On a machine where a start takes longer than that, the time ends first.
    for (; kills < KILLS && performance.now() - began < KILLS * KILL_EVERY_MS; kills++) {
      const next = performance.now() + KILL_EVERY_MS;
      await cluster.kill(kills % 3);
      failedStarts += await startAsSupervised(cluster, kills % 3);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    }
    stopping.abort();
    await loading;
    const seconds = (performance.now() - began) / 1000;
    const due = Math.floor(seconds) - 1;
    // Late times are made up for: how soon is a matter of the machine.
    const fewest = async () => Math.min(...(await load.scheduled(schedules)).map(({ length }) => length));
    await expect.poll(fewest, { timeout: CATCH_UP_MS, interval: 500 }).toBeGreaterThanOrEqual(due);
    await load.pause(schedules);
    const ends = await load.settle();

    const { prompts, conversations, executions, files, readers } = load.acknowledged;
    const availability = load.availability();
    const starts = await load.scheduled(schedules);
    console.info(
      `${kills} kills in ${Math.round(seconds)} s, failed starts ${failedStarts}, prompts ${prompts.size}, conversations ${conversations.size}, executions ${executions.size}, files ${files.size}, ` +
        `events read ${readers.events} over ${readers.connections} connections, ` +
        `scheduled starts ${starts.reduce((sum, { length }) => sum + length, 0)}, refused or unanswered ${load.unanswered().length}: ${load.unanswered().slice(0, 20).join(', ')}; ` +
        `availability ${(100 * availability).toFixed(2)} %`,
    );
    // Everything that was acknowledged is stored, as it was acknowledged.
    expect(await load.lostPrompts()).toEqual([]);
    expect(await load.lostConversations()).toEqual([]);
    expect(files.size).toBeGreaterThan(0);
    expect(await load.lostFiles()).toEqual([]);
    expect(ends.filter(({ status, result, from }) => status !== 'COMPLETED' || result !== 2 * from + 6)).toEqual([]);
    // Each reader received, over all its connections, exactly what is stored: nothing twice, nothing missing.
    expect(await load.misreadStreams()).toEqual([]);
    for (const times of starts) {
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual(times.map((_, index) => index * 1000));
    }
    worker.kill('SIGKILL');
    expect(availability).toBeGreaterThanOrEqual(AVAILABILITY_MIN);
  });
});
