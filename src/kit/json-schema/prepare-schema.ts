import { type Budget, createBudget, SPENT } from './budget.ts';
import { buildSchema, type Schema } from './build-schema.ts';
import type { Mistake, Run } from './node.ts';
import { TooExpensive } from './refusals.ts';
import { visit } from './visit.ts';

export const SCHEMA_CHARACTERS_MAX = 128 * 1024;
const CACHE_ENTRIES_MAX = 500;
/** More than the schemas of one request, which are looked up again when its answer is checked. */
const CACHE_BYTES_MAX = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;
/** Of a schema that was refused somewhere on the way. */
const FAILED_STEPS = 4;

export type JsonSchema = Record<string, unknown>;

export type Verdict = 'valid' | 'invalid' | 'too_expensive';

/** A schema that values can be checked by. */
export type Validator = {
  /** Several checks of one request share a budget; alone a check gets its own. */
  check(value: unknown, budget?: Budget): Verdict;
  /** What is wrong with a value that is invalid. */
  explain(value: unknown): Mistake[];
};

export type Prepared = Validator | 'invalid' | 'too_expensive';

/** By the text of the schema, least recently used first. */
const cache = new Map<string, { prepared: Prepared; bytes: number }>();
let cachedBytes = 0;

/**
 * Clients send the same few schemas again and again. The schemas of one request share a budget: when it is spent, schemas
 * that were not seen before are too expensive.
 */
export function prepareSchema(schema: JsonSchema, budget?: Budget): Prepared {
  const text = textOf(schema);
  if (text === undefined) return 'too_expensive';
  if (text.length > SCHEMA_CHARACTERS_MAX) return 'invalid';
  const known = cache.get(text);
  if (known) {
    cache.delete(text);
    cache.set(text, known);
    return known.prepared;
  }
  if (budget?.isSpent()) return 'too_expensive';
  const made = prepare(text);
  budget?.charge(made.steps + text.length);
  remember(text, made);
  return made.prepared;
}

/** Undefined when it is nested more deeply than the stack holds. */
function textOf(schema: JsonSchema): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function remember(text: string, made: { prepared: Prepared; bytes: number }): void {
  cache.set(text, made);
  cachedBytes += made.bytes;
  for (const [oldest, { bytes }] of cache) {
    if (cache.size <= CACHE_ENTRIES_MAX && cachedBytes <= CACHE_BYTES_MAX) return;
    cache.delete(oldest);
    cachedBytes -= bytes;
  }
}

function prepare(text: string): { prepared: Prepared; bytes: number; steps: number } {
  const bytes = text.length * BYTES_PER_CHARACTER;
  try {
    // A copy: the schema of a request may change after it was prepared.
    const schema = buildSchema(JSON.parse(text) as JsonSchema);
    return { prepared: createValidator(schema), bytes: bytes + schema.bytes, steps: schema.steps };
  } catch (error) {
    return {
      prepared: error instanceof TooExpensive ? 'too_expensive' : 'invalid',
      bytes,
      steps: text.length * FAILED_STEPS,
    };
  }
}

function createValidator({ root, isDynamic }: Schema): Validator {
  const createRun = (budget: Budget, mistakes: Mistake[] | undefined): Run => ({
    budget,
    depth: 0,
    scope: isDynamic ? [] : undefined,
    mistakes,
    path: [],
  });
  return {
    check(value, budget = createBudget()) {
      budget.allow(value);
      try {
        return visit(createRun(budget, undefined), root, value, undefined) ? 'valid' : 'invalid';
      } catch (error) {
        if (error === SPENT) return 'too_expensive';
        throw error;
      }
    },
    explain(value) {
      const mistakes: Mistake[] = [];
      const budget = createBudget();
      budget.allow(value);
      try {
        visit(createRun(budget, mistakes), root, value, undefined);
      } catch (error) {
        if (error !== SPENT) throw error;
      }
      return mistakes;
    },
  };
}
