import { describe, expect, inject, it } from 'vitest';
import { MODEL } from '../../src/conversations/conversations-for-tests.ts';
import { rounds } from '../support/rounds.ts';
import { startUpstream } from '../support/upstream.ts';
import { createLoad } from './load.ts';
import { startCluster } from './start-cluster.ts';
import { startWorkerProcess } from './start-worker.ts';

const serverUrl = inject('postgresUrl');
const KILLS = rounds(1, 24);
const KILL_EVERY_MS = 5000;
const SCHEDULES = 2;

describe.runIf(serverUrl)('three servers under mixed load, one of them killed every five seconds', () => {
  it('lose no acknowledged write, let no reader that resumes miss an event, and start each scheduled time once', {
    timeout: KILLS * 4 * KILL_EVERY_MS + 120_000,
  }, async () => {
    const upstream = await startUpstream();
    const capabilities = { completion_chat: true };
    const model = { id: MODEL, engine: 'upstream', url: upstream.url, upstream_model: 'scripted', capabilities };
    const cluster = await startCluster({ serverUrl: serverUrl ?? '', file: { models: [model] } });
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

    const { prompts, conversations, executions, readers } = load.acknowledged;
    // Everything that was acknowledged is stored, as it was acknowledged.
    expect(await load.lostPrompts()).toEqual([]);
    expect(await load.lostConversations()).toEqual([]);
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
      `${KILLS} kills in ${Math.round(seconds)} s, prompts ${prompts.size}, conversations ${conversations.size}, executions ${executions.size}, ` +
        `events read ${readers.events} over ${readers.connections} connections, ` +
        `scheduled starts ${starts.reduce((sum, { length }) => sum + length, 0)}, refused or unanswered ${load.unanswered()}`,
    );
  });
});
