import { z } from 'zod';
import { defOf } from './schema-names.ts';

/** Lists up to this length are parsed as usual. */
const SHORT = 1000;
const PIECE = 100;

const bounded = new WeakSet<z.core.$ZodType>();

/**
 * Makes every list of a schema stop near its first mistake. Zod itself stops only at values of a wrong type: a million
 * strings with a bad format would become a million issues.
 */
export function boundLists(schema: z.core.$ZodType): void {
  if (bounded.has(schema)) return;
  bounded.add(schema);
  for (const child of childrenOf(schema)) boundLists(child);
  const { type } = defOf(schema);
  if (type === 'array') boundList(schema);
  else if (type === 'record') copyPlainRecord(schema);
}

function childrenOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = defOf(schema);
  if (def.type === 'lazy') return [(schema as z.core.$ZodLazy)._zod.innerType];
  const parts = def.type === 'object' ? [...Object.values(def.shape), def.catchall] : Object.values(def).flat();
  return parts.filter(isSchema);
}

function isSchema(value: unknown): value is z.core.$ZodType {
  return value instanceof z.core.$ZodType;
}

function boundList(schema: z.core.$ZodType): void {
  const internals = schema._zod;
  // The first parse decides which function is used from then on.
  internals.run({ value: [], issues: [] }, { async: false });
  const { parse } = internals;
  const lengthMax = lengthMaxOf(schema);
  const isFit = numberTest((schema._zod.def as z.core.$ZodArrayDef).element);
  const parseBounded: typeof parse = (payload, context) => {
    const { value } = payload;
    if (isFit && Array.isArray(value) && value.length <= lengthMax && value.every(isFit)) return payload;
    if (!Array.isArray(value) || value.length <= SHORT) return parse(payload, context);
    // The length check that follows refuses it anyway.
    if (value.length > lengthMax && !context.skipChecks) return payload;
    const read: unknown[] = [];
    for (let at = 0; at < value.length; at += PIECE) {
      const piece = parse({ value: value.slice(at, at + PIECE), issues: [] }, context);
      if (piece instanceof Promise) throw new z.core.$ZodAsyncError();
      for (const issue of piece.issues) {
        const [index, ...rest] = issue.path ?? [];
        payload.issues.push({ ...issue, path: [at + Number(index), ...rest] });
      }
      if (payload.issues.length > 0) return payload;
      for (const element of piece.value as unknown[]) read.push(element);
    }
    payload.value = read;
    return payload;
  };
  if (internals.run === parse) internals.run = parseBounded;
  internals.parse = parseBounded;
}

/** Zod checks each key of a record with any values, which takes longer than parsing it: 300 ms for a million keys. */
function copyPlainRecord(schema: z.core.$ZodType): void {
  const { keyType, valueType } = schema._zod.def as z.core.$ZodRecordDef;
  const isAnyKey = defOf(keyType).type === 'string' && (keyType._zod.def.checks ?? []).length === 0;
  if (!isAnyKey || defOf(valueType).type !== 'unknown') return;
  const internals = schema._zod;
  const { parse } = internals;
  const parsePlain: typeof parse = (payload, context) => {
    if (!isPlain(payload.value)) return parse(payload, context);
    payload.value = { ...payload.value };
    return payload;
  };
  if (internals.run === parse) internals.run = parsePlain;
  internals.parse = parsePlain;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return !Object.hasOwn(value, '__proto__');
}

/** What a plain number has to be. Zod takes half a second for a million of them, vectors or tokens; this takes milliseconds. */
function numberTest(schema: z.core.$ZodType): ((value: unknown) => boolean) | undefined {
  const def = schema._zod.def as z.core.$ZodNumberDef & { format?: string };
  if (def.type !== 'number' || def.coerce || (def.format !== undefined && def.format !== 'safeint')) return undefined;
  let [least, most] = [-Number.MAX_VALUE, Number.MAX_VALUE];
  for (const check of def.checks ?? []) {
    const bound = check._zod.def as z.core.$ZodCheckLessThanDef;
    if (!bound.inclusive || typeof bound.value !== 'number') return undefined;
    if (bound.check === 'less_than') most = Math.min(most, bound.value);
    else if ((bound.check as string) === 'greater_than') least = Math.max(least, bound.value);
    else return undefined;
  }
  const isKind: (value: unknown) => boolean = def.format ? Number.isSafeInteger : Number.isFinite;
  return (value) => isKind(value) && (value as number) >= least && (value as number) <= most;
}

/** Only lists whose sole check is their length: another check may rely on parsed elements. */
function lengthMaxOf(schema: z.core.$ZodType): number {
  const checks = (schema._zod.def.checks ?? []).map((check) => check._zod.def);
  if (checks.some(({ check }) => check !== 'max_length' && check !== 'min_length')) return Number.POSITIVE_INFINITY;
  const maxima = checks.filter(({ check }) => check === 'max_length') as z.core.$ZodCheckMaxLengthDef[];
  return Math.min(...maxima.map(({ maximum }) => maximum));
}
