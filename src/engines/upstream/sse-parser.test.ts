import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { SseParser } from './sse-parser.ts';

function parse(...pieces: Uint8Array[]): string[] {
  const parser = new SseParser();
  const events: string[] = [];
  for (const piece of pieces) parser.push(piece, (data) => events.push(data));
  return events;
}

const bytes = (text: string) => Buffer.from(text);

describe('an event stream', () => {
  it.each([
    ['one event', 'data: a\n\n', ['a']],
    ['no space after the colon', 'data:a\n\n', ['a']],
    ['only the first space is dropped', 'data:  a\n\n', [' a']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['several data lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['comments', ': ping\n\ndata: a\n: ping\n\n', ['a']],
    ['other fields', 'event: x\nid: 7\nretry: 3\ndata: a\n\n', ['a']],
    ['an empty event', '\n\n\ndata: a\n\n', ['a']],
    ['empty data', 'data\n\ndata:\n\n', ['', '']],
    ['a field that only begins alike', 'database: x\n\n', []],
    ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
    ['the end marker', 'data: {"a":1}\n\ndata: [DONE]\n\n', ['{"a":1}', '[DONE]']],
    ['an event that was cut off', 'data: a\n\ndata: b', ['a']],
  ])('%s', (_name, text, events) => expect(parse(bytes(text))).toEqual(events));
});

it('gives the same events however its bytes are cut', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('', '', ': comment', 'event: x', 'data', 'data: é日🙂'),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
    .map((lines) => Buffer.from(lines.map(([text, end]) => text + end).join('')));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
      const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((start, index) => whole.subarray(start, places[index] ?? whole.length));
      expect(parse(...pieces)).toEqual(parse(whole));
    }),
    { numRuns: rounds(200, 1000) },
  );
});
