import { type Alternative, shapeOf } from './normalise-schema.ts';

/**
 * Matches our alternatives with theirs: the same component first, then the same discriminator, then the fewest
 * differences. An unmatched alternative is missing or added.
 */
export function pairAlternatives(
  ours: readonly Alternative[],
  theirs: readonly Alternative[],
  compare: (one: Alternative, other: Alternative) => unknown[],
): { pairs: [Alternative, Alternative][]; missing: Alternative[]; added: Alternative[] } {
  const isOnlyChoice = ours.length === 1 && theirs.length === 1;
  const candidates = ours.flatMap((one) =>
    theirs.flatMap((other) => {
      if (one.type !== other.type) return [];
      if (isOnlyChoice) return [{ one, other, cost: 0 }];
      const cost = costOf(one, other, compare);
      return cost === undefined ? [] : [{ one, other, cost }];
    }),
  );
  candidates.sort((left, right) => left.cost - right.cost);
  const [added, missing] = [new Set(ours), new Set(theirs)];
  const pairs: [Alternative, Alternative][] = [];
  for (const { one, other } of candidates) {
    if (!added.has(one) || !missing.has(other)) continue;
    added.delete(one);
    missing.delete(other);
    pairs.push([one, other]);
  }
  return { pairs, missing: [...missing], added: [...added] };
}

function costOf(one: Alternative, other: Alternative, compare: (one: Alternative, other: Alternative) => unknown[]) {
  if (one.component !== undefined && one.component === other.component) return -2;
  const [mine, twin] = [constantsOf(one), constantsOf(other)];
  const shared = [...mine.keys()].filter((name) => twin.has(name));
  if (shared.some((name) => mine.get(name) !== twin.get(name))) return undefined;
  return shared.length > 0 ? -1 : compare(one, other).length;
}

/** The properties with a single possible value, such as `type: 'function'`: they distinguish alternatives. */
function constantsOf({ schema, scope }: Alternative): Map<string, unknown> {
  const constants = new Map<string, unknown>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const [only, another] = shapeOf(property, scope).alternatives;
    if (another === undefined && only?.schema.enum?.length === 1) constants.set(name, only.schema.enum[0]);
  }
  return constants;
}

/** A name for each alternative: its component, its constants or its type, numbered where two are equal. */
export function labelsOf(alternatives: readonly Alternative[]): Map<Alternative, string> {
  const labels = new Map<Alternative, string>();
  for (const alternative of alternatives) {
    const label = alternative.component ?? ([...constantsOf(alternative).values()].join(' ') || alternative.type);
    const before = alternatives.slice(0, alternatives.indexOf(alternative));
    const alike = before.filter((other) => labels.get(other)?.replace(/ #\d+$/, '') === label).length;
    labels.set(alternative, alike === 0 ? label : `${label} #${alike + 1}`);
  }
  return labels;
}
