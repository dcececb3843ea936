import { expect, it } from 'vitest';
import { OpenAiChunkWriter } from './chunk-writer.ts';

const head = { id: '1', created: 1, model: 'small' };
const shown = { choices: 1, prefix: '', showsThinking: false };

it.each(['plain', 'a "quote"', 'back\\slash', 'café', 'line\nbreak', '😀', '', 'x'.repeat(500)])(
  'a chunk of %j has that text, filled up so that its length does not tell it',
  (text) => {
    const writer = new OpenAiChunkWriter(head, shown, { includesUsage: true, isPadded: true });
    const [, second = ''] = writer.write([{ kind: 'text', choice: 0, text }]).split('\n\n');
    const { choices, usage, obfuscation, ...rest } = JSON.parse(second.slice('data: '.length));
    expect(choices).toEqual([{ index: 0, delta: { content: text }, logprobs: null, finish_reason: null }]);
    expect(usage).toBeNull();
    expect(rest).toMatchObject({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'small' });
    const body =
      Buffer.byteLength(second) - Buffer.byteLength(`data: ${JSON.stringify(rest).slice(0, -1)},"choices":[`);
    // With its frame, the longest is just beyond 512 bytes.
    const floor = text.length > 100 ? 1024 : 128;
    expect(body).toBeGreaterThanOrEqual(floor);
    expect(body).toBeLessThan(3 * floor);
    expect(obfuscation).toMatch(/^[a-z0-9]*$/);
  },
);
