import type { Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Database } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { insertEmitted, listEmitted } from '../../store/emitted.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { Payloads } from '../port/run-payloads.ts';
import type { Cluster } from './cluster.ts';
import { CODES, hasCode } from './grpc.ts';
import { createRebuild, type RebuiltEvent } from './rebuild-events.ts';
import type { RunMirror } from './run-mirror.ts';
import type { TemporalRun } from './store.ts';

export type CatchUp = ReturnType<typeof createCatchUp>;

/** Runs that need no look at their history; forgotten when there are many, which costs a look each. */
const SETTLED_MAX = 10_000;

/**
 * Official workers drop events that they cannot deliver. What Temporal's history shows of steps is published in their
 * place: before the next event of the run, when a server has started, and before the end.
 */
export function createCatchUp(options: {
  database: Database;
  cluster: Cluster;
  mirror: RunMirror;
  payloads: Payloads;
  isOfficial: (row: RunRow) => Promise<boolean>;
  now: Clock;
  log: Logger;
}) {
  const { database, cluster, mirror, payloads, isOfficial, now, log } = options;
  const startedMs = now();
  const settled = new Set<string>();
  const underWay = new Map<string, Promise<void>>();

  async function publishMissing({ workspace_id, run_id }: RunRow, rebuilt: readonly RebuiltEvent[]): Promise<void> {
    const known = await listEmitted(
      database.db,
      run_id,
      rebuilt.flatMap(({ key, unless }) => [key, ...unless]),
    );
    const missing = rebuilt
      .filter(({ key, unless }) => !known.has(key) && !unless.some((other) => known.has(other)))
      .sort((a, b) => a.micros - b.micros);
    if (missing.length === 0) return;
    const ready = await Promise.all(
      missing.map(async ({ attributes, ...event }) => ({
        ...event,
        attributes: await pack(workspace_id, attributes()),
      })),
    );
    await mirror.committer.commit(async (unit) => {
      const run = await unit.findRun(workspace_id, run_id);
      if (!run || hasEnded(run.row.status)) return;
      for (const { key, micros, event_type, attributes } of ready)
        if (await insertEmitted(unit.tx, run_id, key))
          unit.publish(run, { event_type, attributes }, { id: uuidv7(now()), micros });
    });
    log.info({ run_id, events: missing.length }, 'events that a worker could not deliver were read from Temporal');
  }

  async function pack(workspaceId: string, attributes: Record<string, Json>): Promise<Record<string, Json>> {
    for (const name of ['input', 'result']) {
      const payload = attributes[name] as { value: Json } | undefined;
      if (payload === undefined) continue;
      const { value } = payload;
      const one = (item: Json) => payloads.pack(workspaceId, item);
      attributes[name] = {
        ...payload,
        value: Array.isArray(value) ? await Promise.all(value.map(one)) : await one(value),
      };
    }
    return attributes;
  }

  async function readAll({ row, temporalRunId }: TemporalRun & { temporalRunId: string }, isOpen: boolean) {
    const rebuild = createRebuild();
    const place = { workspaceId: row.workspace_id, executionId: row.execution_id, temporalRunId };
    for await (const page of cluster.historyPages(place))
      await publishMissing(
        row,
        page.flatMap((event) => rebuild.read(event)),
      );
    if (isOpen) await publishMissing(row, rebuild.readPending(await cluster.listPending(row, temporalRunId)));
  }

  /** What cannot be read now is read at the next occasion; nothing waits for it. */
  async function look(run: TemporalRun, isOpen: boolean): Promise<void> {
    const { row, temporalRunId } = run;
    if (temporalRunId === null || hasEnded(row.status) || !(await isOfficial(row))) return;
    await readAll({ row, temporalRunId }, isOpen).catch((error: unknown) => {
      // The end of a run is recorded later when the cluster goes away in between.
      if (!isOpen && hasCode(error, CODES.unavailable)) throw error;
      if (!hasCode(error, CODES.notFound)) log.warn({ err: error, run_id: row.run_id }, 'a history was not read');
    });
  }

  function once(run: TemporalRun): Promise<void> {
    const { run_id } = run.row;
    const looking = underWay.get(run_id) ?? look(run, true).finally(() => underWay.delete(run_id));
    underWay.set(run_id, looking);
    return looking;
  }

  return {
    ofOpenRun: once,
    beforeEnd: (run: TemporalRun) => look(run, false),

    /** A run from before this server started may have lost events, and so has a step that ends without its start. */
    async beforeEvents(run: TemporalRun, endedSteps: readonly string[]): Promise<void> {
      const { run_id, started_at } = run.row;
      const starts = endedSteps.map((id) => `ACTIVITY_TASK_STARTED ${id}`);
      const isSettled = settled.has(run_id) || Date.parse(started_at) >= startedMs;
      if (isSettled && (await listEmitted(database.db, run_id, starts)).size === starts.length) return;
      await once(run);
      if (settled.size >= SETTLED_MAX) settled.clear();
      settled.add(run_id);
    },
  };
}
