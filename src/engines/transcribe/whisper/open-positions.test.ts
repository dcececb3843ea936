import { expect, it } from 'vitest';
import { contentOf, fieldsOf, textOf, writeField } from '../onnx/fields.ts';
import { openPositions, POSITIONS, POSITIONS_INPUT } from './open-positions.ts';

const GRAPH = 7;

function modelOf(name: string): Uint8Array {
  const values = Float32Array.from({ length: POSITIONS * 2 }, (_, index) => index);
  const tensor = Buffer.concat([writeField(8, name), writeField(9, new Uint8Array(values.buffer))]);
  const kept = writeField(5, writeField(8, 'other'));
  return Buffer.concat([writeField(2, 'maker'), writeField(GRAPH, Buffer.concat([writeField(5, tensor), kept]))]);
}

it('makes the table of positions an input of the encoder, and changes nothing else', () => {
  const opened = openPositions(modelOf(POSITIONS_INPUT));
  expect(opened?.positions.width).toBe(2);
  expect([...(opened?.positions.values.subarray(0, 3) ?? [])]).toEqual([0, 1, 2]);
  const graph = contentOf(opened?.model ?? new Uint8Array(), GRAPH) ?? new Uint8Array();
  const found = [...fieldsOf(graph)].map(({ number, content }) => [
    number,
    content && textOf(content, number === 5 ? 8 : 1),
  ]);
  expect(found).toEqual([
    [5, 'other'],
    [11, POSITIONS_INPUT],
  ]);
  expect(textOf(opened?.model ?? new Uint8Array(), 2)).toBe('maker');
});

it('leaves a model alone that has no such table', () => {
  expect(openPositions(modelOf('another.weight'))).toBeUndefined();
});
