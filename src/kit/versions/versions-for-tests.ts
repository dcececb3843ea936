import { systemClock } from '../base/clock.ts';
import { uuid } from '../base/ids.ts';
import type { Database } from '../db/index.ts';
import { createPageTokens } from '../http/index.ts';
import { type Change, createVersions, type Snapshot, type Versions, type Viewer } from './index.ts';

export type Shown = Snapshot<unknown>;
export type Recorded = Change & { viewer: Viewer };

/** Versions of some kind on the database, with what was recorded about them. */
export function openVersions(database: Database, kind = 'thing') {
  const recorded: Recorded[] = [];
  const versions: Versions<Viewer, unknown, Shown> = createVersions<Viewer, unknown, Shown>({
    database,
    // The one clock of a process, which never tells a time twice.
    now: systemClock,
    tokens: createPageTokens('the same in every process'),
    kind,
    noun: 'thing',
    render: (snapshot) => snapshot,
    record: async (_tx, viewer, change) => void recorded.push({ ...change, viewer }),
  });
  return { versions, recorded };
}

export function newViewer(workspace_id = uuid()): Viewer {
  return { workspace_id, user_id: uuid() };
}
