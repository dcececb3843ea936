import { describe, expect, it } from 'vitest';
import { addChunk, type Chunk, speedOf, startReply } from './reply.ts';

const delta = (content: Chunk['choices'] extends (infer C)[] | undefined ? C : never): Chunk => ({
  model: 'small-2601',
  choices: [content],
});

describe('a reply', () => {
  it('collects text, reasoning, tool calls, finish reason and usage', () => {
    const chunks: Chunk[] = [
      delta({ delta: { content: '' } }),
      delta({ delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] } }),
      delta({ delta: { content: 'Good ' } }),
      delta({ delta: { content: [{ type: 'text', text: 'day' }] } }),
      delta({ delta: { tool_calls: [{ id: 'abc', function: { name: 'now', arguments: { zone: 'UTC' } } }] } }),
      {
        ...delta({ delta: { content: '' }, finish_reason: 'tool_calls' }),
        usage: { prompt_tokens: 3, completion_tokens: 21, total_tokens: 24 },
      },
    ];
    const reply = chunks.reduce((state, chunk, i) => addChunk(state, chunk, 100 + i * 100), startReply(0));
    expect(reply).toMatchObject({
      text: 'Good day',
      thinking: 'Hm.',
      toolCalls: [{ id: 'abc', name: 'now', arguments: '{"zone":"UTC"}' }],
      model: 'small-2601',
      finishReason: 'tool_calls',
      usage: { completion_tokens: 21 },
      firstMs: 200,
    });
    expect(speedOf({ ...reply, endedMs: 1200 }, 9999)).toBe(20);
  });

  it('has no speed before its second token', () => {
    const first = addChunk(startReply(0), delta({ delta: { content: 'a' } }), 10);
    expect(speedOf(first, 1000)).toBeUndefined();
    expect(speedOf(addChunk(first, delta({ delta: { content: 'b' } }), 20), 1010)).toBe(1);
  });
});
