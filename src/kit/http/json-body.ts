import { ValidationFailed } from './errors.ts';

export type JsonLimits = { depthMax: number; keysMax: number };

export const DEFAULT_JSON_LIMITS: JsonLimits = { depthMax: 64, keysMax: 100_000 };

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/**
 * JSON.parse with what it leaves out: limits on depth and number of keys, and a refusal of duplicate keys,
 * of which it silently keeps the last. `__proto__` comes out as an ordinary own property, which strict
 * schemas refuse like any other unknown one.
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = DEFAULT_JSON_LIMITS): unknown {
  const text = decodeUtf8(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('JSON decode error', positionOf(error), error instanceof Error ? withoutInput(error.message) : '');
  }
  checkStructure(text, limits);
  return value;
}

// Runs after JSON.parse, so the text is known to be well-formed and only strings and brackets matter.
function checkStructure(text: string, limits: JsonLimits): void {
  const keysOf: (Set<string> | undefined)[] = [];
  let keys = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        keysOf.push(undefined);
        if (keysOf.length > limits.depthMax) {
          throw invalid('JSON is nested too deeply', i, `more than ${limits.depthMax} levels`);
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        keysOf.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, i);
        if (isKey(text, end)) {
          if (++keys > limits.keysMax) throw invalid('JSON has too many keys', i, `more than ${limits.keysMax}`);
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

function invalid(msg: string, position: number, error: string): ValidationFailed {
  return new ValidationFailed([{ type: 'json_invalid', loc: ['body', position], msg, input: {}, ctx: { error } }]);
}

function positionOf(error: unknown): number {
  const match = /position (\d+)/.exec(error instanceof Error ? error.message : '');
  return match ? Number(match[1]) : 0;
}

// V8 quotes a piece of the input in its message, and a piece of a body may be a secret.
function withoutInput(message: string): string {
  return message.replace(/,? ?(\.\.\.)?"[\s\S]*" is not valid JSON/, '').replace(/ in JSON.*$/s, '');
}
