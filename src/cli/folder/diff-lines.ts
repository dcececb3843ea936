import { createPatch, OMIT_HEADERS } from 'diff';

/** Texts with more edits than this are shown as replaced: finding the shortest script would take too long. */
const EDITS_MAX = 500;

/** A unified diff of two texts, without its two header lines; empty if they are the same. */
export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const options = { context: 3, headerOptions: OMIT_HEADERS };
  const patch = createPatch('', before, after, '', '', { ...options, maxEditLength: EDITS_MAX });
  if (patch !== undefined) return splitPatch(patch);
  const [, ...removed] = splitPatch(createPatch('', before, '', '', '', options));
  const [, ...added] = splitPatch(createPatch('', '', after, '', '', options));
  return [`@@ -1,${removed.length} +1,${added.length} @@`, ...removed, ...added];
}

/** The note about a missing end of line stays with its line. */
function splitPatch(patch: string): string[] {
  return patch.replace(/\n$/, '').split(/\n(?!\\ )/);
}
