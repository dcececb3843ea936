import { InvalidQuery } from './refusals.ts';

export type Token = { kind: string; at: number; value?: unknown };

const SKIPPED = /[ \t\n\r]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /-?\d{1,15}/y;
const QUOTED = /"(?:[^"\\]|\\.)*"/y;
const RAW = /'((?:[^'\\]|\\.)*)'/sy;
const LITERAL = /`((?:[^`\\]|\\.)*)`/sy;
/** Longer ones first. */
const SIGNS = ['||', '&&', '==', '!=', '<=', '>=', '[?', '[]', ...'.*[]{}(),:|!<>&@'];

/** The words and signs of an expression; the last one is `end`. */
export function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  while (at < source.length) {
    const skipped = match(SKIPPED);
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    const read = readToken(match, at) ?? readSign(source, at);
    if (!read) throw new InvalidQuery(`character ${at + 1} is not expected here`);
    tokens.push(read.token);
    at += read.length;
  }
  tokens.push({ kind: 'end', at });
  return tokens;
}

type Read = { token: Token; length: number };

function readToken(match: (pattern: RegExp) => RegExpExecArray | null, at: number): Read | undefined {
  const found = (kind: string, read: RegExpExecArray, value: unknown): Read => ({
    token: { kind, at, value },
    length: read[0].length,
  });
  const name = match(NAME);
  if (name) return found('name', name, name[0]);
  const number = match(NUMBER);
  if (number) return found('number', number, Number(number[0]));
  const quoted = match(QUOTED);
  if (quoted) return found('quoted', quoted, parseJson(quoted[0], at));
  const raw = match(RAW);
  if (raw) return found('literal', raw, (raw[1] ?? '').replaceAll("\\'", "'").replaceAll('\\\\', '\\'));
  const literal = match(LITERAL);
  if (literal) return found('literal', literal, parseJson((literal[1] ?? '').replaceAll('\\`', '`'), at));
  return undefined;
}

function readSign(source: string, at: number): Read | undefined {
  const sign = SIGNS.find((one) => source.startsWith(one, at));
  return sign === undefined ? undefined : { token: { kind: sign, at }, length: sign.length };
}

function parseJson(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidQuery(`the text at character ${at + 1} is not valid JSON`);
  }
}
