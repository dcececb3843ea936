import { evaluateQuery } from './evaluate-query.ts';
import { checkCall } from './functions.ts';
import { type Node, parseQuery } from './parse-query.ts';
import { InvalidQuery, QueryFailed, QueryTooExpensive } from './refusals.ts';
import { Steps } from './steps.ts';
import { isTrue } from './values.ts';

export const QUERY_CHARACTERS_MAX = 4096;
/** About 5 ms. */
const STEPS = 100_000;

export type QueryOutcome = { found: unknown } | { failed: string } | 'too_expensive';

export type Query = {
  /** What the expression finds in a value of JSON, within a fixed number of steps. */
  run(value: unknown): QueryOutcome;
  /** Whether what it finds counts as true. */
  matches(value: unknown): boolean | Exclude<QueryOutcome, { found: unknown }>;
};

/** A JMESPath expression of a client, or why it is none. Reading it is linear in its length. */
export function prepareQuery(source: string): Query | { invalid: string } {
  if (source.length > QUERY_CHARACTERS_MAX) return { invalid: `it has more than ${QUERY_CHARACTERS_MAX} characters` };
  let node: Node;
  try {
    node = parseQuery(source);
    checkCalls(node);
  } catch (error) {
    if (error instanceof InvalidQuery) return { invalid: error.message };
    throw error;
  }
  const run = (value: unknown): QueryOutcome => {
    try {
      return { found: evaluateQuery(node, value, new Steps(STEPS)) ?? null };
    } catch (error) {
      if (error instanceof QueryFailed) return { failed: error.message };
      if (error instanceof QueryTooExpensive) return 'too_expensive';
      throw error;
    }
  };
  return {
    run,
    matches(value) {
      const outcome = run(value);
      return typeof outcome === 'object' && 'found' in outcome ? isTrue(outcome.found) : outcome;
    },
  };
}

/** Functions that do not exist are found when the expression is stored, not when it is used. */
function checkCalls(node: Node): void {
  const open: unknown[] = [node];
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) open.push(...next);
    else if (typeof next === 'object' && next !== null && 'type' in next) {
      const inner = next as Node;
      if (inner.type === 'literal') continue;
      const problem = inner.type === 'call' ? checkCall(inner.name, inner.parameters.length) : undefined;
      if (problem) throw new InvalidQuery(problem);
      open.push(...Object.values(inner));
    }
  }
}
