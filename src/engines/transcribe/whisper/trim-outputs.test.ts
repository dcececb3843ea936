import { expect, it } from 'vitest';
import { trimOutputs } from './trim-outputs.ts';

const field = (number: number, content: Uint8Array) =>
  Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
const text = (number: number, value: string) => field(number, Buffer.from(value));
const version = Buffer.from([8, 7]);

it('leaves out the outputs that nobody reads, and changes nothing else', () => {
  const output = (name: string) => field(12, text(1, name));
  const graph = (...outputs: Buffer[]) => field(7, Buffer.concat([text(2, 'graph'), ...outputs]));
  const model = Buffer.concat([version, graph(output('logits'), output('attention.0')), text(2, 'maker')]);
  const trimmed = trimOutputs(model, (name) => name === 'logits');
  expect(Buffer.from(trimmed)).toEqual(Buffer.concat([version, graph(output('logits')), text(2, 'maker')]));
  expect(Buffer.from(trimOutputs(model, () => true))).toEqual(model);
});

it('refuses a file that is cut off', () => {
  expect(() => trimOutputs(Buffer.from([0x3a, 0x80]), () => true)).toThrow('no ONNX model');
});
