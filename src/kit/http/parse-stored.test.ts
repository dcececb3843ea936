import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseStored } from './parse-stored.ts';

const Tool = z.strictObject({ name: z.string().max(3), kind: z.string().default('function') });
const Stored = z.strictObject({
  tools: z.array(z.discriminatedUnion('role', [Tool.extend({ role: z.literal('a') })])).max(1),
  note: z.string().max(3).nullable().optional(),
});

describe('a stored value', () => {
  it('is read with its defaults although a maximum came later', () => {
    const tools = [
      { role: 'a', name: 'long name' },
      { role: 'a', name: 'x' },
    ];
    expect(parseStored(Stored, { tools, note: 'long note' })).toEqual({
      tools: tools.map((tool) => ({ ...tool, kind: 'function' })),
      note: 'long note',
    });
  });

  it('is refused for any other mistake', () => {
    expect(() => parseStored(Stored, { tools: [{ role: 'a', name: 1 }] })).toThrow(z.ZodError);
    expect(() => parseStored(Stored, { tools: [], note: 'long note', other: 1 })).toThrow(z.ZodError);
  });
});
