import type { Row } from '../serve/read-rows.ts';
import type { Kind } from './id-fields.ts';
import { PRIVATE, SHARED } from './judge.ts';
import type { World, Worlds } from './worlds.ts';

/** Tables that change with time and not by requests, and why. */
const RESTLESS: Record<string, string> = {
  signals: 'version numbers that are raised for everybody',
  signal_readers: 'when each process was last heard of',
  tasks: 'maintenance that comes round',
};

/** The last use of a key is written now and then; the first task of a schedule plans the next one, soon after it is made. */
const LATER = /"(last_used_at|task_id)":("[^"]*"|null)/;

/** What changes only by somebody's request, a line for each row. */
export function steadyRows(rows: readonly Row[]): string[] {
  return rows.filter(({ table }) => !RESTLESS[table]).map(({ table, text }) => `${table} ${text.replace(LATER, '')}`);
}

/** The rows that contain one of these ids. */
function rowsOf(marks: readonly string[], rows: readonly Row[]): Set<string> {
  return new Set(steadyRows(rows.filter(({ text }) => marks.some((mark) => text.includes(mark)))));
}

/** The owner's rows that were changed, deleted or added while another caller sent requests. */
export function compareRows(
  { owner, strangers }: Worlds,
  asker: World,
  before: readonly Row[],
  after: readonly Row[],
): string[] {
  const isColleague = asker.workspaceId === owner.workspaceId;
  const kinds = (Object.keys(owner.ids) as Kind[]).filter((kind) =>
    isColleague ? PRIVATE.includes(kind) : !SHARED.includes(kind),
  );
  const marks = [...kinds.flatMap((kind) => owner.ids[kind] ?? []), ...(isColleague ? [] : [owner.workspaceId])];
  const [had, has] = [rowsOf(marks, before), rowsOf(marks, after)];
  // What an asker began in the background may end while the next one asks.
  const isOfAnAsker = (row: string) =>
    strangers.some(({ workspaceId }) => row.includes(`"workspace_id":"${workspaceId}"`));
  const gone = [...had].filter((row) => !has.has(row) && !isOfAnAsker(row)).map((row) => `changed or gone: ${row}`);
  // Objects that the asker created are the asker's, also where they refer to something of the owner's.
  const own = after.filter(({ text }) => text.includes(asker.workspaceId)).flatMap(({ text }) => idIn(text));
  const theirs = [asker.workspaceId, ...own].filter((id) => !Object.values(owner.ids).includes(id));
  const isTheirs = (row: string) => isColleague || isOfAnAsker(row) || theirs.some((id) => row.includes(id));
  const added = [...has].filter((row) => !had.has(row) && !isTheirs(row)).map((row) => `added: ${row}`);
  return [...gone, ...added].map((line) => `${asker.name}: ${line}`);
}

function idIn(text: string): string[] {
  const [, id] = /"id":"([^"]+)"/.exec(text) ?? [];
  return id === undefined ? [] : [id];
}
