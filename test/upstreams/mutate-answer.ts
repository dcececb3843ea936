import { gzipSync } from 'node:zlib';

export type Random = () => number;

/** What a server sends: the pieces one by one, then the end, a cut, or nothing more. */
export type WireAnswer = {
  headers: Record<string, string>;
  pieces: Buffer[];
  ending: 'end' | 'cut' | 'silence';
  /** For the message of a failed test. */
  mutations: string[];
};

/** A valid answer: one JSON value, the chunks of a stream, or plain bytes. */
export type ValidAnswer = { json: unknown } | { events: unknown[] } | { bytes: Buffer; type: string };

const JUNK: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  7,
  1e308,
  2 ** 53,
  2 ** 31,
  '',
  'x',
  '7',
  'NaN',
  '\u0000',
  '\ud800',
  '<think>',
  [],
  {},
  [null],
  [[]],
  [{}],
  { '': null },
  { toString: 1, constructor: null },
  'x'.repeat(5000),
  Array.from({ length: 200 }, () => null),
];

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** Mutates a valid answer once or a few times, at any level: its values, its text, its bytes, its headers, its end. */
export function mutateAnswer(random: Random, valid: ValidAnswer, maySilence: boolean): WireAnswer {
  const mutations: string[] = [];
  const note = <T>(name: string, value: T): T => {
    mutations.push(name);
    return value;
  };
  const times = 1 + Math.floor(random() ** 3 * 4);
  let bytes: Buffer;
  let type = 'application/json';
  if ('bytes' in valid) ({ bytes, type } = valid);
  else if ('json' in valid) {
    let value = structuredClone(valid.json);
    if (random() < 0.75) for (let i = 0; i < times; i++) value = mutateValue(random, value, note);
    bytes = Buffer.from(nest(random, JSON.stringify(value), note));
  } else {
    type = 'text/event-stream';
    let events = structuredClone(valid.events);
    if (random() < 0.75) for (let i = 0; i < times; i++) events = mutateEvents(random, events, note);
    bytes = Buffer.from(writeEvents(random, events, note));
  }
  if (mutations.length === 0 || random() < 0.3) bytes = mutateBytes(random, bytes, note);
  const headers = mutateHeaders(random, type, bytes, note);
  if (headers['content-encoding'] === 'gzip') bytes = gzipSync(bytes);
  let ending: WireAnswer['ending'] = 'end';
  if (random() < 0.08) {
    ending = maySilence && random() < 0.2 ? 'silence' : 'cut';
    bytes = note(ending, bytes.subarray(0, Math.floor(random() * (bytes.length + 1))));
  }
  return { headers, pieces: split(random, bytes), ending, mutations };
}

function mutateValue(random: Random, value: unknown, note: <T>(name: string, made: T) => T): unknown {
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || random() < 0.08) {
    if (Array.isArray(value) && value.length > 0 && random() < 0.7) return mutateList(random, value, note);
    return note('junk', pick(random, JUNK));
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || random() < 0.2) return mutateList(random, value, note);
    const at = Math.floor(random() * value.length);
    return value.with(at, mutateValue(random, value[at], note));
  }
  const entries = Object.entries(value);
  const key = pick(
    random,
    entries.map(([name]) => name),
  );
  if (key === undefined || random() < 0.05) return note('new key', { ...value, [`k${random()}`]: pick(random, JUNK) });
  if (random() < 0.15) return note(`no ${key}`, Object.fromEntries(entries.filter(([name]) => name !== key)));
  return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? mutateValue(random, one, note) : one]));
}

function mutateList(random: Random, list: unknown[], note: <T>(name: string, made: T) => T): unknown[] {
  const at = Math.floor(random() * list.length);
  switch (Math.floor(random() * 5)) {
    case 0:
      return note('dropped', list.toSpliced(at, 1));
    case 1:
      return note('doubled', list.toSpliced(at, 0, structuredClone(list[at])));
    case 2:
      return note('reversed', list.toReversed());
    case 3:
      return note('stranger', list.toSpliced(at, 0, pick(random, JUNK)));
    default:
      return note('wrapped', [list]);
  }
}

function mutateEvents(random: Random, events: unknown[], note: <T>(name: string, made: T) => T): unknown[] {
  if (random() < 0.25 || events.length === 0) return mutateList(random, events, note);
  const at = Math.floor(random() * events.length);
  return events.with(at, mutateValue(random, events[at], note));
}

/** Deep or wide beyond what any parser builds for free. */
function nest(random: Random, text: string, note: <T>(name: string, made: T) => T): string {
  if (random() >= 0.03) return text;
  const depth = pick(random, [300, 20_000]);
  return note('nested', text.replace(/"[a-z ]+"/i, '['.repeat(depth) + ']'.repeat(depth)));
}

function writeEvents(random: Random, events: unknown[], note: <T>(name: string, made: T) => T): string {
  const end = random() < 0.8 ? '\n' : note('line ends', pick(random, ['\r\n', '\r']));
  let text = random() < 0.04 ? note('BOM', '\ufeff') : '';
  for (const event of events) {
    if (random() < 0.03) text += note('comment', `: ping${end}${end}`);
    if (random() < 0.03) text += note('fields', `id: 1${end}event: x${end}retry: soon${end}`);
    const data = nest(random, JSON.stringify(event), note);
    text += `data: ${data}${end}`;
    if (random() < 0.02) text += note('second line', `data: {"a":1}${end}`);
    text += end;
  }
  const done = `data: [DONE]${end}${end}`;
  if (random() < 0.05) return note('no end', text);
  return random() < 0.05
    ? note('after the end', `${text}${done}data: {"choices":null}${end}${end}${done}`)
    : text + done;
}

function mutateBytes(random: Random, bytes: Buffer, note: <T>(name: string, made: T) => T): Buffer {
  const at = Math.floor(random() * (bytes.length + 1));
  const insert = (more: Buffer) => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
  switch (Math.floor(random() * 7)) {
    case 0:
      return note('truncated', bytes.subarray(0, at));
    case 1:
      return note('not UTF-8', insert(Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80])));
    case 2:
      return note('NUL', insert(Buffer.from([0])));
    case 3:
      return note('trailing', Buffer.concat([bytes, Buffer.from('}]garbage\n\n')]));
    case 4:
      return note('twice', Buffer.concat([bytes, bytes]));
    case 5:
      return note('a line end', insert(Buffer.from(pick(random, ['\n', '\r\n\r\n', '\r']))));
    default: {
      const flipped = Buffer.from(bytes);
      if (flipped.length > 0) flipped[at % flipped.length] = Math.floor(random() * 256);
      return note('a byte', flipped);
    }
  }
}

function mutateHeaders(random: Random, type: string, bytes: Buffer, note: <T>(name: string, made: T) => T) {
  const headers: Record<string, string> = { 'content-type': type };
  if (random() < 0.05)
    headers['content-type'] = note('type', pick(random, ['text/html', 'Text/Event-Stream', 'x', '']));
  if (random() < 0.03) headers['content-encoding'] = note('encoding', pick(random, ['gzip', 'br', 'identity']));
  if (random() < 0.04) headers['content-length'] = note('length', String(bytes.length + pick(random, [1, 5, 10 ** 9])));
  if (random() < 0.02) headers['x-long'] = note('long header', 'x'.repeat(10_000));
  return headers;
}

function split(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const sizeMax = pick(random, [1, 7, 64, 4096, 1 << 20]);
  if (sizeMax * 400 < bytes.length) return [bytes];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(random() * sizeMax);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
