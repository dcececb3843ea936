import type { Tenant } from '../../kit/fair-queue/index.ts';

export type Owned = { tenant: Tenant | undefined };

const NOBODY: Tenant = { organization: '', key: '' };
const turnsMax = 10_000;

export type Turns = {
  /**
   * Whose turn it is: the organization with the fewest sequences at work, among equals the one that waited longest
   * since its last turn; within it the key by the same rule; then the first that came.
   */
  pick<T extends Owned>(waiting: readonly T[], working: readonly Owned[]): T | undefined;
  /** The one that was picked has begun. */
  took(owned: Owned): void;
};

export function createTurns(): Turns {
  const last = new Map<string, number>();
  let turn = 0;

  function note(name: string): void {
    last.delete(name);
    last.set(name, ++turn);
    const [oldest] = last.keys();
    if (last.size > turnsMax && oldest !== undefined) last.delete(oldest);
  }

  function fewest<T extends Owned>(waiting: readonly T[], working: readonly Owned[], nameOf: NameOf): T[] {
    const counts = count(working, nameOf);
    const rank = (owned: Owned): [number, number] => {
      const name = nameOf(owned);
      return [counts.get(name) ?? 0, last.get(name) ?? 0];
    };
    let best: T[] = [];
    let [bestCount, bestTurn] = [Number.POSITIVE_INFINITY, 0];
    for (const owned of waiting) {
      const [working, turn] = rank(owned);
      if (working > bestCount || (working === bestCount && turn > bestTurn)) continue;
      if (working < bestCount || turn < bestTurn) best = [];
      [bestCount, bestTurn] = [working, turn];
      best.push(owned);
    }
    return best;
  }

  return {
    pick: (waiting, working) => fewest(fewest(waiting, working, organizationOf), working, keyOf)[0],
    took(owned) {
      note(organizationOf(owned));
      note(keyOf(owned));
    },
  };
}

type NameOf = (owned: Owned) => string;

export const organizationOf: NameOf = ({ tenant = NOBODY }) => tenant.organization;
const keyOf: NameOf = ({ tenant = NOBODY }) => `${tenant.organization}\n${tenant.key}`;

/**
 * Who gives a sequence back for one that waits: the newest of the organization, or within one organization of the key,
 * that has more than its even share. Undefined where the waiting one has its share already.
 */
export function chooseYielding<T extends Owned>(next: Owned, working: readonly T[]): T | undefined {
  const own = working.filter((item) => organizationOf(item) === organizationOf(next));
  return beyondShare(next, working, organizationOf) ?? beyondShare(next, own, keyOf);
}

function beyondShare<T extends Owned>(next: Owned, working: readonly T[], nameOf: NameOf): T | undefined {
  const counts = count(working, nameOf);
  const mine = counts.get(nameOf(next)) ?? 0;
  counts.set(nameOf(next), mine);
  const share = Math.max(1, Math.floor(working.length / counts.size));
  const [largest] = [...counts].sort(([, a], [, b]) => b - a);
  if (mine >= share || largest === undefined || largest[1] <= share) return undefined;
  return working.findLast((item) => nameOf(item) === largest[0]);
}

function count(items: readonly Owned[], nameOf: NameOf): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}
