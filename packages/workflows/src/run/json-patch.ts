import type { Json, JsonPatchOp } from '../protocol.ts';

/** The patch from `before` to `after`: RFC 6902 plus `append` for a text that grew at its end, as token streams do. */
export function diffJson(before: Json, after: Json): JsonPatchOp[] {
  const ops: JsonPatchOp[] = [];
  compare(before, after, '', ops);
  return ops;
}

function compare(before: Json, after: Json, path: string, ops: JsonPatchOp[]): void {
  if (before === after) return;
  if (typeof before === 'string' && typeof after === 'string' && before !== '' && after.startsWith(before))
    ops.push({ op: 'append', path, value: after.slice(before.length) });
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, ops);
  else if (isObject(before) && isObject(after)) compareObjects(before, after, path, ops);
  else ops.push({ op: 'replace', path, value: after });
}

function compareLists(before: Json[], after: Json[], path: string, ops: JsonPatchOp[]): void {
  const shared = Math.min(before.length, after.length);
  for (let at = 0; at < shared; at++) compare(before[at] as Json, after[at] as Json, `${path}/${at}`, ops);
  for (let at = before.length - 1; at >= shared; at--) ops.push({ op: 'remove', path: `${path}/${at}` });
  for (const value of after.slice(shared)) ops.push({ op: 'add', path: `${path}/-`, value });
}

function compareObjects(
  before: { [key: string]: Json },
  after: { [key: string]: Json },
  path: string,
  ops: JsonPatchOp[],
): void {
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) ops.push({ op: 'remove', path: `${path}/${escapeKey(key)}` });
  for (const [key, value] of Object.entries(after)) {
    const place = `${path}/${escapeKey(key)}`;
    if (Object.hasOwn(before, key)) compare(before[key] as Json, value, place, ops);
    else ops.push({ op: 'add', path: place, value });
  }
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
