import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { deltaChunk, hello, serveScripted, startEvents, usageChunk } from './chat-for-tests.ts';

const CHUNKS = 10_000;
// Of every length that tokens have, in several scripts: what an observer counts are bytes.
const tokens = [
  'a',
  ' of',
  ' the',
  ' house',
  ' 日本',
  ' Wörter',
  ' incomprehensible',
  '"\n\t"',
  ' 🙂',
  'ا',
  ' =>',
  '    ',
];

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

/** One stream of that many chunks; the bytes of each token beside those of its event on the wire. */
async function measure(kind: 'content' | 'reasoning_content') {
  const { upstream, server } = await serveScripted();
  const sent = Array.from({ length: CHUNKS }, (_, index) => tokens[(index * 7) % tokens.length] ?? '');
  upstream.answerWith((_call, response) => {
    startEvents(response);
    for (const text of sent) response.write(`data: ${JSON.stringify(deltaChunk({ [kind]: text }))}\n\n`);
    for (const chunk of [deltaChunk({}, 'stop'), usageChunk]) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  const { text } = await call(server, '/v1/chat/completions', { body: { ...hello, stream: true } });
  const events = text.split('\n\n').slice(1, -3);
  expect(events).toHaveLength(CHUNKS);
  return events.map((event, index) => {
    const token = sent[index] ?? '';
    expect(event).toContain(JSON.stringify(token));
    return { event, token };
  });
}

// Of 10,000 independent pairs |r| exceeds 0.05 less than once in a million runs.
it.each(['content', 'reasoning_content'] as const)(
  'the bytes of an event on the wire do not correlate with those of its %s, over 10,000 events [CHAT-P-PADDING]',
  async (kind) => {
    const measured = await measure(kind);
    const bytes = (text: string) => Buffer.byteLength(text);
    const padded = measured.map(({ event, token }): [number, number] => [bytes(token), bytes(event)]);
    expect(Math.abs(correlation(padded))).toBeLessThan(0.05);
    // The same events without their padding tell the token's length, so the measure can see it.
    const bare = measured.map(({ event, token }): [number, number] => [
      bytes(token),
      bytes(event.replace(/,"p":"[a-z0-9]+"/, '')),
    ]);
    expect(correlation(bare)).toBeGreaterThan(0.9);
  },
);
