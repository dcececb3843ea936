import type { ValidationFailed } from './errors.ts';
import { requestErrors } from './request-errors.ts';
import { type JsonExcess, type JsonLimits, scanJson } from './scan-json.ts';

export const DEFAULT_JSON_LIMITS: JsonLimits = {
  depthMax: 64,
  keysMax: 100_000,
  objectKeysMax: 20_000,
  valuesMax: 500_000,
};

const COMPLAINTS: Record<keyof JsonLimits, (max: number) => [string, string]> = {
  depthMax: (max) => ['JSON is nested too deeply', `more than ${max} levels`],
  keysMax: (max) => ['JSON has too many keys', `more than ${max}`],
  objectKeysMax: (max) => ['JSON has too many keys', `more than ${max} in one object`],
  valuesMax: (max) => ['JSON has too many values', `more than ${max}`],
};

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/**
 * JSON.parse with limits that are checked before the document is built, and without duplicate keys. `__proto__` becomes an
 * ordinary own property, which strict schemas refuse.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  const scanned = scanJson(bytes, limits);
  if ('limit' in scanned) throw beyondLimit(bytes, scanned, limits);
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('JSON decode error', positionOf(error), error instanceof Error ? withoutInput(error.message) : '');
  }
  // A duplicate key is kept once, so a document with duplicates has fewer keys than were scanned.
  if (countKeys(value) !== scanned.keys) refuseDuplicate(text);
  return value;
}

export function beyondLimit(bytes: Uint8Array, { limit, position }: JsonExcess, limits: JsonLimits): ValidationFailed {
  const [msg, error] = COMPLAINTS[limit](limits[limit]);
  return invalid(msg, decodeUtf8(bytes.subarray(0, position)).length, error);
}

// The depth is within its limit already. A number too large for a double becomes Infinity, which JSON writes as null.
export function countKeys(value: unknown): number {
  if (isTooLarge(value)) throw invalid('JSON decode error', 0, 'A number is too large');
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    // Avoids a call for each of a million numbers.
    for (const element of value) if (typeof element === 'object' || isTooLarge(element)) keys += countKeys(element);
  } else {
    for (const key in value) {
      const member = (value as Record<string, unknown>)[key];
      keys += typeof member === 'string' ? 1 : 1 + countKeys(member);
    }
  }
  return keys;
}

function isTooLarge(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

// The text is well-formed, so only strings and brackets matter.
export function refuseDuplicate(text: string): void {
  const keysOf: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        keysOf.push(undefined);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        keysOf.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, i);
        if (isKey(text, end)) {
          const key = decodeKey(text.slice(i + 1, end));
          const seen = keysOf.at(-1) ?? new Set<string>();
          if (seen.has(key)) throw invalid('JSON decode error', i, `Duplicate key '${key.slice(0, 100)}'`);
          keysOf[keysOf.length - 1] = seen.add(key);
        }
        i = end;
      }
    }
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function isKey(text: string, end: number): boolean {
  let next = end + 1;
  while (text.charCodeAt(next) <= 32) next++;
  return text.charCodeAt(next) === COLON;
}

function decodeKey(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalid('JSON decode error', 0, 'The body is not valid UTF-8');
  }
}

export function invalid(msg: string, position: number, error: string): ValidationFailed {
  return requestErrors.json_invalid(['body', position], msg, {}, { error });
}

function positionOf(error: unknown): number {
  const match = /position (\d+)/.exec(error instanceof Error ? error.message : '');
  return match ? Number(match[1]) : 0;
}

const MESSAGE_CHARACTERS_MAX = 200;

// V8 quotes part of the input in its message, which may be a secret.
function withoutInput(message: string): string {
  return message
    .slice(0, MESSAGE_CHARACTERS_MAX)
    .replace(/,? ?(\.\.\.)?"[\s\S]*" is not valid JSON/, '')
    .replace(/ in JSON.*$/s, '');
}
