import { z } from 'zod';

// Query strings carry text. These schemas accept pydantic's spellings and nothing else (z.coerce takes '' for 0 and 'false'
// for true). They are number and boolean schemas, not pipes, so bounds, `.optional()` and `.default()` chain as usual.

const integerText = /^[+-]?\d+(\.0+)?$/;
const numberText = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const booleanText = new Map(
  Object.entries({ true: true, t: true, yes: true, y: true, on: true, 1: true }).concat(
    Object.entries({ false: false, f: false, no: false, n: false, off: false, 0: false }),
  ),
);

export function readInt(text: string): number | undefined {
  const trimmed = text.trim();
  return integerText.test(trimmed) ? Number(trimmed) : undefined;
}

export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  return numberText.test(trimmed) ? Number(trimmed) : undefined;
}

export function readBool(text: string): boolean | undefined {
  return booleanText.get(text.toLowerCase());
}

// Text that cannot be parsed is passed on unchanged, so the schema itself refuses it.
function readTextFirst(schema: z.core.$ZodType, read: (text: string) => unknown): void {
  const parse = schema._zod.parse;
  schema._zod.parse = (payload, context) => {
    if (typeof payload.value === 'string') payload.value = read(payload.value) ?? payload.value;
    return parse(payload, context);
  };
}

// Subclasses, because every chained check builds a new instance with the class of the old one.
const QueryInt = z.core.$constructor<z.ZodInt | z.ZodInt32>('QueryInt', (schema, def) => {
  z.ZodNumberFormat.init(schema, def);
  readTextFirst(schema, readInt);
});

const QueryList = z.core.$constructor<z.ZodArray>('QueryList', (schema, def) => {
  z.ZodArray.init(schema, def);
  const parse = schema._zod.parse;
  schema._zod.parse = (payload, context) => {
    const given = typeof payload.value === 'string' ? [payload.value] : payload.value;
    if (Array.isArray(given))
      payload.value = given.flatMap((text) => (typeof text === 'string' ? text.split(',') : text));
    return parse(payload, context);
  };
});

const QueryRepeated = z.core.$constructor<z.ZodArray>('QueryRepeated', (schema, def) => {
  z.ZodArray.init(schema, def);
  readTextFirst(schema, (text) => [text]);
});

const QueryNumber = z.core.$constructor<z.ZodNumber>('QueryNumber', (schema, def) => {
  z.ZodNumber.init(schema, def);
  readTextFirst(schema, readNumber);
});

const QueryBool = z.core.$constructor<z.ZodBoolean>('QueryBool', (schema, def) => {
  z.ZodBoolean.init(schema, def);
  readTextFirst(schema, readBool);
});

export function queryInt(): z.ZodInt {
  return new QueryInt({ type: 'number', check: 'number_format', abort: false, format: 'safeint' }) as z.ZodInt;
}

/** An int32 of the query or the path. */
export function queryInt32(): z.ZodInt32 {
  return new QueryInt({ type: 'number', check: 'number_format', abort: false, format: 'int32' }) as z.ZodInt32;
}

/** A list in the query: the parameter repeated, its values joined by commas, or both. */
export function queryList<T extends z.ZodType>(element: T): z.ZodArray<T> {
  return new QueryList({ type: 'array', element }) as z.ZodArray<T>;
}

/** A list in the query whose values may contain commas: only a repeated parameter adds to it. */
export function queryRepeated<T extends z.ZodType>(element: T): z.ZodArray<T> {
  return new QueryRepeated({ type: 'array', element }) as z.ZodArray<T>;
}

export function queryNumber(): z.ZodNumber {
  return new QueryNumber({ type: 'number' });
}

export function queryBool(): z.ZodBoolean {
  return new QueryBool({ type: 'boolean' });
}

/** What version 3 of the official Python SDK sends for an omitted object. */
const LEFT_OUT = '~?~unset~?~sentinel~?~';

/** Each pair becomes a condition in SQL, whose number is limited. */
export const QUERY_PAIRS_MAX = 100;

/** A parameter whose text is a JSON object. */
export function queryJsonObject() {
  return z
    .string()
    .transform((text, context) => {
      const value = readJson(text);
      if (value === LEFT_OUT) return null;
      if (value === null) return null;
      if (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length <= QUERY_PAIRS_MAX)
        return value as Record<string, unknown>;
      context.addIssue({
        code: 'custom',
        message: `this must be a JSON object of at most ${QUERY_PAIRS_MAX} pairs, for example {"team":"blue"}`,
      });
      return z.NEVER;
    })
    .meta({ type: 'string' });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
