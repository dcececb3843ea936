import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { ownTurn } from '../../kit/base/own-turn.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Events } from '../../kit/events/index.ts';
import { deleteQueries } from '../engines/embedded/store/queries.ts';
import { streamOf } from '../engines/port/project-events.ts';
import { contentOf } from '../payloads/pack-payloads.ts';
import { deleteExecuteKeys } from '../store/execute-keys.ts';
import { deleteLogIds } from '../store/logs.ts';
import { deletePayloads, listPayloads } from '../store/payloads.ts';
import { deleteRuns, listEndedTrees, listOldestStarts } from '../store/retention.ts';
import { listAllInputs } from '../store/schedules.ts';
import { listRunsOfTree, type Tree } from '../store/trees.ts';
import { EXECUTE_KEY_KEPT_MS } from './execute.ts';
import { executionLogs, LOG_ID_KEPT_MS } from './logs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const AT_ONCE = { trees: 100, runs: 100, events: 1000 };

/** Deletes executions after their retention: whole trees, because a tree shares its events. Then their payloads. */
export function createPrune(deps: {
  database: Database;
  events: Events;
  blobs: Blobs;
  retentionDays: number;
  now: Clock;
  /** How many one statement reads or deletes. */
  atOnce?: typeof AT_ONCE;
}): () => Promise<void> {
  const { database, events, blobs, retentionDays, now, atOnce = AT_ONCE } = deps;
  const { db } = database;

  /**
   * A tree may have a million runs, so it goes in steps: its events, its descendants, and at last the runs of its root, by which a prune
   * that was interrupted finds it again.
   */
  async function forget(tree: Tree): Promise<void> {
    await removeEvents(streamOf(tree));
    for (let runs = await nextRuns(tree); runs.length > 0; runs = await nextRuns(tree)) {
      for (const executionId of new Set(runs.map(({ execution_id }) => execution_id)))
        await removeEvents(executionLogs(tree.workspace_id, executionId));
      const runIds = runs.map(({ run_id }) => run_id);
      await database.transaction((tx) => deleteRuns(tx, runIds));
      await ownTurn();
    }
  }

  const nextRuns = (tree: Tree) => listRunsOfTree(db, tree, atOnce.runs);

  async function removeEvents(stream: string): Promise<void> {
    const head = await events.head(db, stream);
    for (let upTo = atOnce.events; upTo < head; upTo += atOnce.events) {
      await database.transaction((tx) => events.trim(tx, stream, upTo));
      await ownTurn();
    }
    if (head > 0) await database.transaction((tx) => events.remove(tx, stream));
  }

  /** A payload is in use while a run exists that is as old, or a schedule refers to it. */
  async function isReferenced(sha256s: string[]): Promise<ReadonlySet<string>> {
    const packed = await listPayloads(db, sha256s);
    const workspaces = [...new Set(packed.map(({ workspace_id }) => workspace_id))];
    const oldest = workspaces.length === 0 ? new Map() : await listOldestStarts(db, workspaces);
    const scheduled = new Set((await listAllInputs(db)).flatMap((input) => contentOf(input) ?? []));
    const used = packed.filter(({ workspace_id, packed_ms, sha256 }) => {
      const first = oldest.get(workspace_id);
      return scheduled.has(sha256) || (first !== undefined && packed_ms >= Date.parse(first) - HOUR_MS);
    });
    const referenced = new Set(used.map(({ sha256 }) => sha256));
    await deletePayloads(
      db,
      sha256s.filter((sha256) => !referenced.has(sha256)),
    );
    return referenced;
  }

  return async () => {
    const endedBefore = isoMicros(() => now() - retentionDays * DAY_MS);
    for (;;) {
      const trees = await listEndedTrees(db, endedBefore, atOnce.trees);
      for (const tree of trees) await forget(tree);
      if (trees.length < atOnce.trees) break;
    }
    await blobs.collect({ isReferenced, untouchedSince: new Date(now() - DAY_MS) });
    await deleteExecuteKeys(db, now() - EXECUTE_KEY_KEPT_MS);
    await deleteQueries(db, now() - HOUR_MS);
    await deleteLogIds(db, now() - LOG_ID_KEPT_MS);
  };
}
