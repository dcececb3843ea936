import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeVector, shorten } from './encode-vector.ts';

const vector = Float32Array.from([0.5, -1, 0.25, 0, -0.125, 1, 0.75, -0.5, 0.1, -0.1]);
const vectors = fc
  .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 64 })
  .map((values) => Float32Array.from(values));
const bytesOf = (text: string) => Buffer.from(text, 'base64');

describe('an encoded vector', () => {
  it('keeps its numbers as float', () => {
    expect(encodeVector(vector, 'float', 'float')).toEqual(Array.from(vector));
  });

  it('is scaled to the whole range as int8 and uint8', () => {
    expect(encodeVector(vector, 'int8', 'float')).toEqual([64, -127, 32, 0, -16, 127, 95, -63, 13, -13]);
    expect(encodeVector(vector, 'uint8', 'float')).toEqual([192, 1, 160, 128, 112, 255, 223, 65, 141, 115]);
  });

  it('is its signs as ubinary, and the same bytes less 128 as binary', () => {
    expect(encodeVector(vector, 'ubinary', 'float')).toEqual([0b10100110, 0b10000000]);
    expect(encodeVector(vector, 'binary', 'float')).toEqual([0b10100110 - 128, 0]);
  });

  it('comes as little-endian bytes in base64', () => {
    const text = encodeVector(vector, 'float', 'base64') as string;
    const bytes = bytesOf(text);
    expect(Array.from({ length: vector.length }, (_, i) => bytes.readFloatLE(i * 4))).toEqual(Array.from(vector));
    expect([...bytesOf(encodeVector(vector, 'ubinary', 'base64') as string)]).toEqual([0b10100110, 0b10000000]);
  });

  it('stays within its type whatever the vector', () => {
    fc.assert(
      fc.property(vectors, (any) => {
        for (const value of encodeVector(any, 'int8', 'float') as number[])
          expect(Math.abs(value)).toBeLessThanOrEqual(127);
        for (const value of encodeVector(any, 'uint8', 'float') as number[])
          expect(value >= 0 && value <= 255).toBe(true);
        expect(encodeVector(any, 'ubinary', 'float')).toHaveLength(Math.ceil(any.length / 8));
      }),
    );
  });
});

it('a shortened vector has length one again', () => {
  expect(Math.hypot(...shorten(vector, 3))).toBeCloseTo(1, 5);
  expect(shorten(vector, 3)).toHaveLength(3);
  expect([...shorten(Float32Array.from([0, 0]), 1)]).toEqual([0]);
});
