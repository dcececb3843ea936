import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

export const SCHEMA_CHARACTERS_MAX = 128 * 1024;
const CACHE_ENTRIES_MAX = 500;
const COMPILER_USES_MAX = 500;
const PATTERN_TIMEOUT_MS = 250;
const PATTERN_TIMEOUTS_MAX = 4;
const PLAIN_TEXT_MAX = 256;

export type JsonSchema = Record<string, unknown>;

/** After a failed check `errors` has the first mistake. */
export type Check = ((value: unknown) => boolean) & { errors?: ErrorObject[] | null };

const settings = {
  strict: false,
  // Formats are hints for the model; the published validators do not agree about them.
  validateFormats: false,
  addUsedSchema: false,
  logger: false,
  // Optimising the generated code takes half of the compile time, and each schema is used a few times only.
  code: { regExp: compilePattern, optimize: false },
} as const;
// A compiler instance keeps state of every schema, so it is replaced before that adds up.
let compilers = { newest: new Ajv2020(settings), draft7: new Ajv(settings), uses: 0 };

/** By the text of the schema, least recently used first. */
const cache = new Map<string, Check | undefined>();

/** Clients send the same few schemas again and again, and compiling one costs more than the rest of a request. */
export function compileSchema(schema: JsonSchema): Check | undefined {
  const text = JSON.stringify(schema);
  if (text.length > SCHEMA_CHARACTERS_MAX) return undefined;
  if (cache.has(text)) {
    const known = cache.get(text);
    cache.delete(text);
    cache.set(text, known);
    return known;
  }
  const check = compile(JSON.parse(text) as JsonSchema);
  cache.set(text, check);
  if (cache.size > CACHE_ENTRIES_MAX) cache.delete(cache.keys().next().value ?? '');
  return check;
}

function compile(schema: JsonSchema): Check | undefined {
  const { $schema: dialect, $id: _, ...bare } = schema;
  if (compilers.uses++ >= COMPILER_USES_MAX)
    compilers = { newest: new Ajv2020(settings), draft7: new Ajv(settings), uses: 1 };
  const ajv = typeof dialect === 'string' && /draft-0[467]/.test(dialect) ? compilers.draft7 : compilers.newest;
  try {
    return ajv.compile(bare) as Check;
  } catch {
    return undefined;
  }
}

/**
 * Patterns come from clients. A malicious pattern can run for hours, and only a context with a time limit can be stopped.
 */
function compilePattern(pattern: string, flags: string): { test: (text: string) => boolean; toString: () => string } {
  const expression = expressionOf(pattern, flags);
  const isPlain = !NESTED.test(pattern) && (pattern.match(QUANTIFIER)?.length ?? 0) <= 2;
  let timeouts = 0;
  return {
    test(text) {
      if (isPlain && text.length <= PLAIN_TEXT_MAX) return expression.test(text);
      if (timeouts >= PATTERN_TIMEOUTS_MAX) return false;
      pad.context ??= createContext(pad.values);
      pad.values.expression = expression;
      pad.values.text = text;
      try {
        return RUN_PATTERN.runInContext(pad.context, { timeout: PATTERN_TIMEOUT_MS }) === true;
      } catch {
        timeouts += 1;
        return false;
      }
    },
    // Ajv identifies patterns by this.
    toString: () => expression.toString(),
  };
}
compilePattern.code = 'new RegExp';

// Without repeated groups and with at most two repetitions, a short text takes some million steps at worst.
const NESTED = /\)[*+?{]|\\[1-9k]|\(\?[=!<]/;
const QUANTIFIER = /[*+]|\{\d/g;

const RUN_PATTERN = new Script('expression.test(text)');
const pad: { values: { expression?: RegExp; text?: string }; context?: object } = { values: {} };

// Real patterns escape more characters than Unicode mode allows.
function expressionOf(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}
