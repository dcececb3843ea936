import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { ChunkParser } from './chunk-parser.ts';

const chunkOf = (content: unknown, rest: object = {}) =>
  JSON.stringify({ id: 'a', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest });

/** Each parsed as if it were alone. */
function expectPlain(chunks: string[]): void {
  const parser = new ChunkParser();
  for (const chunk of chunks) expect(structuredClone(parser.parse(chunk))).toEqual(JSON.parse(chunk));
}

it('parses every sequence of chunks as JSON does, whatever they have in common', () => {
  const content = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', 'a', '","x":"', '"content":"b"'),
  );
  const chunk = fc.oneof(
    content.map((text) => chunkOf(text)),
    content.map((text) => chunkOf(text, { content: text })),
    content.map((text) =>
      JSON.stringify({ choices: [{ delta: { content: text } }, { delta: { content: 'a' } }] }, null, 1),
    ),
    fc.tuple(content, content).map(([text, id]) => chunkOf(text, { id })),
    fc.json().filter((text) => typeof JSON.parse(text) === 'object' && JSON.parse(text) !== null),
  );
  fc.assert(fc.property(fc.array(chunk, { minLength: 2, maxLength: 12 }), expectPlain), { numRuns: rounds(30, 100) });
});

it('parses chunks that share nothing but their beginning and end', () => {
  expectPlain([chunkOf('a'), chunkOf(''), chunkOf(null), chunkOf(['x']), chunkOf('b"'), chunkOf('\\'), chunkOf('c')]);
  expectPlain([
    chunkOf('a'),
    chunkOf('"'),
    chunkOf('\n\t\u0001'),
    chunkOf('é\ud800'),
    chunkOf('"'.repeat(300)),
    chunkOf('b'),
  ]);
  expectPlain([chunkOf('aa'), '{"id":"a","choices":[]}', chunkOf('word', { p: 'xyz' }), chunkOf('word', { p: 'x' })]);
});

it('refuses a chunk that only looks like the one before', () => {
  const parser = new ChunkParser();
  const chunk = chunkOf('word');
  parser.parse(chunk);
  for (const content of ['wo"rd', 'wo\nrd', '\\x', '\\u12g4', 'a\\', '\\"","b":"\\u00'])
    expect(() => parser.parse(chunk.replace('word', content))).toThrow(
      expect.objectContaining({ code: 'upstream_interrupted' }),
    );
});
