import { complement, fromRanges } from './character-set.ts';
import type { Builder, Expression } from './expression.ts';

export type Grammar = Map<string, Expression>;

/** Reads the part of GBNF that this engine writes. */
export function readGbnf(text: string, build: Builder): Grammar {
  const rules: Grammar = new Map();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const arrow = line.indexOf(' ::= ');
    const reader = { text: line, at: arrow + 5 };
    rules.set(line.slice(0, arrow), readAlternatives(reader, build));
    if (reader.at < line.length) throw new Error(`Unexpected GBNF at ${reader.at}.`);
  }
  return rules;
}

type Reader = { text: string; at: number };

function readAlternatives(reader: Reader, build: Builder): Expression {
  const options = [readSequence(reader, build)];
  while (reader.text[reader.at] === '|') {
    reader.at++;
    options.push(readSequence(reader, build));
  }
  return build.either(options);
}

function readSequence(reader: Reader, build: Builder): Expression {
  const items: Expression[] = [];
  for (;;) {
    while (reader.text[reader.at] === ' ') reader.at++;
    const next = reader.text[reader.at];
    if (next === undefined || next === '|' || next === ')') break;
    items.push(readRepetition(reader, readAtom(reader, build), build));
  }
  return items.reduceRight((tail, head) => build.sequence(head, tail), build.empty);
}

const NAME = /[a-zA-Z0-9-]+/y;
const BOUNDS = /\{(\d+)(,(\d*))?\}/y;

function readAtom(reader: Reader, build: Builder): Expression {
  const next = reader.text[reader.at];
  if (next === '(') {
    reader.at++;
    const body = readAlternatives(reader, build);
    reader.at++;
    return body;
  }
  if (next === '"') {
    const codes: number[] = [];
    for (reader.at++; reader.text[reader.at] !== '"'; ) codes.push(readCharacter(reader));
    reader.at++;
    return codes.reduceRight(
      (tail, code) => build.sequence(build.character([code, code]), tail),
      build.empty as Expression,
    );
  }
  if (next === '[') return build.character(readClass(reader));
  NAME.lastIndex = reader.at;
  const name = NAME.exec(reader.text)?.[0];
  if (name === undefined) throw new Error(`Unexpected GBNF at ${reader.at}.`);
  reader.at += name.length;
  return build.rule(name);
}

function readClass(reader: Reader) {
  reader.at++;
  const isNegated = reader.text[reader.at] === '^';
  if (isNegated) reader.at++;
  const ranges: [number, number][] = [];
  while (reader.text[reader.at] !== ']') {
    const low = readCharacter(reader);
    if (reader.text[reader.at] === '-' && reader.text[reader.at + 1] !== ']') {
      reader.at++;
      ranges.push([low, readCharacter(reader)]);
    } else ranges.push([low, low]);
  }
  reader.at++;
  const set = fromRanges(ranges.filter(([low, high]) => low <= high));
  return isNegated ? complement(set) : set;
}

const HEX_DIGITS: Record<string, number> = { x: 2, u: 4, U: 8 };
const NAMED: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

function readCharacter(reader: Reader): number {
  const character = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  if (character !== '\\') return character.codePointAt(0) ?? 0;
  const kind = reader.text[reader.at++] ?? '';
  const digits = HEX_DIGITS[kind];
  if (digits === undefined) return (NAMED[kind] ?? kind).codePointAt(0) ?? 0;
  reader.at += digits;
  return Number.parseInt(reader.text.slice(reader.at - digits, reader.at), 16);
}

function readRepetition(reader: Reader, atom: Expression, build: Builder): Expression {
  const next = reader.text[reader.at];
  if (next === '*' || next === '+' || next === '?') {
    reader.at++;
    return build.repeat(atom, next === '+' ? 1 : 0, next === '?' ? 1 : Number.POSITIVE_INFINITY);
  }
  BOUNDS.lastIndex = reader.at;
  const bounds = BOUNDS.exec(reader.text);
  if (!bounds) return atom;
  reader.at += bounds[0].length;
  const min = Number(bounds[1]);
  return build.repeat(atom, min, bounds[2] === undefined ? min : bounds[3] ? Number(bounds[3]) : Infinity);
}
