import { expect, it } from 'vitest';
import { LINE_BYTES_MAX, readLines } from './read-lines.ts';

async function* pieces(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
async function read(content: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(content)) {
    lines.push('bytes' in line ? Buffer.from(line.bytes).toString() : 'too long');
  }
  return lines;
}

it('reads the same lines however the content is cut, and no empty ones', async () => {
  const text = 'été\n\n  \nzwei\r\ndrei';
  const bytes = Buffer.from(text);
  const whole = await read(pieces(text));
  expect(whole).toEqual(['été', 'zwei\r', 'drei']);
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await read(pieces(bytes.subarray(0, cut), bytes.subarray(cut)))).toEqual(whole);
  }
});

it('says that a line is too long without keeping it, and goes on after it', async () => {
  async function* content() {
    yield Buffer.from('a\n');
    for (let bytes = 0; bytes <= LINE_BYTES_MAX; bytes += 1 << 20) yield Buffer.alloc(1 << 20, 'x');
    yield Buffer.from('\nb');
  }
  expect(await read(content())).toEqual(['a', 'too long', 'b']);
});
