import type { Difference, DifferenceKind } from './compare-schemas.ts';

export interface KnownDifference {
  at: string;
  kind: DifferenceKind;
  reason: string;
}

/** Compares found with known differences: none may be new, and no known one may be gone. */
export function reconcile(
  found: readonly Difference[],
  known: readonly KnownDifference[],
): { unlisted: Difference[]; gone: KnownDifference[] } {
  return {
    unlisted: found.filter((difference) => !known.some((entry) => covers(entry, difference))),
    gone: known.filter((entry) => !found.some((difference) => covers(entry, difference))),
  };
}

function covers(entry: KnownDifference, { at, kind }: Difference): boolean {
  if (entry.kind !== kind) return false;
  return entry.at.endsWith('*') ? at.startsWith(entry.at.slice(0, -1)) : at === entry.at;
}
