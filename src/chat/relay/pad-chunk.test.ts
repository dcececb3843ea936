import { expect, it } from 'vitest';
import { ChunkWriter } from './chunk-writer.ts';
import { padChunk } from './pad-chunk.ts';

const head = { id: '0'.repeat(32), created: 1, model: 'small' };

function correlation(pairs: [number, number][]): number {
  const mean = (index: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[index], 0) / pairs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) ** 2;
    yy += (y - meanY) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

// Words of every length that tokens have, in several scripts: what counts on the wire are bytes.
const tokens = ['a', ' of', ' the', ' house', ' 日本', ' Wörter', ' incomprehensible', '"\n\t"', ' 🙂', 'ا', ' =>'];

it('the length of a chunk tells nothing about the length of its token, over 10,000 chunks [CHAT-P-PADDING] [CHAT-STREAM-P]', () => {
  const writer = new ChunkWriter(head, { choices: 1, prefix: '', showsThinking: true });
  writer.write([]);
  const pairs: [number, number][] = [];
  for (let index = 0; index < 10_000; index++) {
    const text = tokens[index % tokens.length] ?? '';
    const chunk = writer.write([{ kind: index % 3 === 0 ? 'thinking' : 'text', choice: 0, text }]);
    pairs.push([Buffer.byteLength(text), Buffer.byteLength(chunk)]);
    expect(JSON.parse(chunk.slice(6)).p).toMatch(/^[a-z0-9]+$/);
  }
  expect(Math.abs(correlation(pairs))).toBeLessThan(0.05);
});

it.each(['text', 'thinking'] as const)(
  'the length of a chunk of %s tells nothing about up to 48 bytes of it, over 10,000 chunks [CHAT-P-PADDING]',
  (kind) => {
    const writer = new ChunkWriter(head, { choices: 1, prefix: '', showsThinking: true });
    writer.write([]);
    const pairs = Array.from({ length: 10_000 }, (_, index): [number, number] => {
      const text = 'x'.repeat(1 + (index % 48));
      return [text.length, writer.write([{ kind, choice: 0, text }]).length];
    });
    expect(Math.abs(correlation(pairs))).toBeLessThan(0.05);
  },
);

it('is a beginning of one fixed sequence, however long', () => {
  for (const bytes of [1, 100, 128, 129, 5000, 300_000]) {
    const padding = padChunk(bytes);
    expect('abcdefghijklmnopqrstuvwxyz0123456789'.repeat(30_000).startsWith(padding)).toBe(true);
  }
});

it.each([
  'plain',
  '',
  ' a "quoted" word',
  'back\\slash',
  'line\nbreak',
  'Wörter',
  '日本',
  '🙂',
  '\ud83d',
  '\u0000',
  '~[]{}',
])('a chunk has the text %j as it is, and is filled up within its range', (text) => {
  const writer = new ChunkWriter(head, { choices: 12, prefix: '', showsThinking: true });
  writer.write([]);
  for (const choice of [0, 11]) {
    const chunk = writer.write([{ kind: 'text', choice, text }]);
    const { choices, p } = JSON.parse(chunk.slice('data: '.length));
    expect(choices).toEqual([{ index: choice, delta: { content: text }, finish_reason: null }]);
    const body = chunk.slice(chunk.indexOf('"index":') + '"index":'.length, chunk.indexOf(',"p":'));
    expect(Buffer.byteLength(body) + p.length).toBeGreaterThanOrEqual(128);
    expect(Buffer.byteLength(body) + p.length).toBeLessThan(256);
  }
});
