export type Repaired = { value: unknown };

const DEPTH_MAX = 64;
const FENCE = /^\s*```[a-zA-Z]*\s*\n?([\s\S]*?)(?:```\s*)?$/;
const WORDS: Record<string, unknown> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
};
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Reads JSON as models write it: in fences or prose, with single quotes, bare words, extra commas, missing brackets.
 * Undefined when a value is missing or cut off: it must not be guessed.
 */
export function repairJson(text: string): Repaired | undefined {
  const strict = parse(text);
  const bare = strict ? text : (FENCE.exec(text)?.[1] ?? text);
  const read = strict ?? parse(bare) ?? readLeniently(bare);
  // Some servers encode the arguments twice.
  return typeof read?.value === 'string' && /^\s*[{[]/.test(read.value) ? (repairJson(read.value) ?? read) : read;
}

function parse(text: string): Repaired | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWithin(value, DEPTH_MAX) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** What nests deeper cannot be written again: the runtime's writer is recursive, its parser is not. */
function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isWithin(one, depth - 1));
}

function readLeniently(text: string): Repaired | undefined {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  try {
    return { value: new LenientReader(text, start).readValue(0) };
  } catch {
    return undefined;
  }
}

class LenientReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  readValue(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new Error('too deep');
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === '{') return this.#readObject(depth);
    if (next === '[') return this.#readArray(depth);
    if (isQuote(next)) return this.#readString(next);
    const word = this.#readWord(/[,}\]\n]/);
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (NUMBER.test(word)) return Number(word);
    if (word === '') throw new Error('a value is missing');
    return word;
  }

  #readObject(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#endsWith('}')) {
      const next = this.#text[this.#at];
      const key = isQuote(next) ? this.#readString(next) : this.#readWord(/[:,}\s]/);
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw new Error('a colon is missing');
      this.#at += 1;
      entries.push([key, this.readValue(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #readArray(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#endsWith(']')) items.push(this.readValue(depth + 1));
    return items;
  }

  /** Skips spaces and commas. The end of the text closes every open bracket. */
  #endsWith(close: string): boolean {
    this.#skipSpace();
    while (this.#text[this.#at] === ',') {
      this.#at += 1;
      this.#skipSpace();
    }
    if (this.#at >= this.#text.length) return true;
    if (this.#text[this.#at] !== close) return false;
    this.#at += 1;
    return true;
  }

  #readString(quote: string): string {
    const close = quote === '“' ? '”' : quote;
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at++) {
      const next = this.#text[this.#at] as string;
      if (next === close) {
        this.#at += 1;
        return value;
      }
      value += next === '\\' ? this.#readEscape() : next;
    }
    throw new Error('a string does not end');
  }

  #readEscape(): string {
    this.#at += 1;
    const next = this.#text[this.#at] ?? '';
    if (next === 'u') {
      const code = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at + 1, this.#at + 5))?.[0];
      if (code === undefined) return 'u';
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const control = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[next];
    return control ?? next;
  }

  #readWord(end: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !end.test(this.#text[this.#at] as string)) this.#at += 1;
    return this.#text.slice(start, this.#at).trim();
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}

function isQuote(character: string | undefined): character is string {
  return character === '"' || character === "'" || character === '“';
}
