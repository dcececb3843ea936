import type { NpyArray } from './read-npz.ts';
import { type OnnxConstant, type OnnxGraph, type OnnxNode, writeOnnx } from './write-onnx.ts';

export const DIMENSIONS = 512;
/** Tokens that the widest convolution sees before and after its own. */
export const REACH = 2;
export const WINDOW = 2 * REACH + 1;
const CHANNELS = 256;
/** How many tokens each convolution sees, and how many of them stand before its own. */
const CONVOLUTIONS = [
  { width: 2, before: 0 },
  { width: 3, before: 1 },
  { width: 5, before: 2 },
];

/**
 * The encoder of Google's Universal Sentence Encoder (multilingual, v3) as an ONNX graph. Texts lie one after another without
 * padding; `windows` has the rows around each token, or the row after the last one, which is zero, where its text ends.
 * `pool` has 1/√tokens where a token (column) belongs to a text (row).
 */
export function buildGraph(weights: ReadonlyMap<string, NpyArray>): Buffer {
  const nodes: OnnxNode[] = [];
  const constants: OnnxConstant[] = [];
  const epsilon = { float: Number(weights.get('eps')?.values[0] ?? 1e-12) };

  const add = (op: string, inputs: string[], attributes: OnnxNode['attributes'] = {}) => {
    const output = `${op}_${nodes.length}`;
    nodes.push({ op, inputs, output, attributes });
    return output;
  };
  const constant = (name: string, shape: number[], values: OnnxConstant['values']) => {
    constants.push({ name, shape, values });
    return name;
  };
  const weight = (name: string) => {
    const array = weights.get(name);
    if (!(array?.values instanceof Float32Array)) throw new Error(`The weights lack ${name}.`);
    return constant(name, array.shape, array.values);
  };
  const normalizeLayer = (input: string, scale: string, bias: string) =>
    add('LayerNormalization', [input, weight(scale), weight(bias)], { axis: -1, epsilon });
  const relu = (input: string) => add('Relu', [input]);

  const zeros = constant('zeros', [1, CHANNELS], new Float32Array(CHANNELS));
  const convolve = (input: string, rows: string, shape: string, kernel: string, bias: string) => {
    const around = add('Gather', [add('Concat', [input, zeros], { axis: 0 }), rows], { axis: 0 });
    const flat = add('Reshape', [around, shape]);
    return add('Add', [relu(add('Gemm', [flat, weight(kernel), weight(bias)])), input]);
  };
  const features = CONVOLUTIONS.map(({ width, before }) => {
    const columns = Int32Array.from({ length: width }, (_, i) => REACH - before + i);
    const rows = add('Gather', ['windows', constant(`columns${width}`, [width], columns)], { axis: 1 });
    const shape = constant(`shape${width}`, [2], BigInt64Array.of(-1n, BigInt(width * CHANNELS)));
    const projected = add('Gemm', ['tokens', weight(`proj${width}`), weight(`proj_b${width}`)]);
    const normal = normalizeLayer(projected, `ln_g${width}`, `ln_b${width}`);
    const hidden = convolve(normal, rows, shape, `w1_${width}`, `b1_${width}`);
    return convolve(hidden, rows, shape, `w2_${width}`, `b2_${width}`);
  });
  const all = normalizeLayer(add('Concat', ['tokens', ...features], { axis: 1 }), 'ln_g', 'ln_b');

  // Pooled before it is projected: the sum commutes with the projection, and there are fewer texts than tokens.
  const pooled = add('MatMul', [add('MatMul', ['pool', all]), weight('cnn_W')]);
  const lengths = add('ReduceSum', ['pool', constant('columns', [1], BigInt64Array.of(1n))], { keepdims: 1 });
  const text = add('Add', [pooled, add('Mul', [lengths, weight('cnn_b')])]);

  const multiply = (input: string, matrix: string) => add('MatMul', [input, weight(matrix)]);
  const first = multiply(relu(multiply(text, 'd0')), 'd1');
  const middle = relu(add('Add', [multiply(text, 'p1'), first]));
  const second = multiply(relu(multiply(middle, 'd2')), 'd3');
  add('Tanh', [add('Add', [multiply(middle, 'p3'), second])]);

  const graph: OnnxGraph = {
    inputs: [
      { name: 'tokens', type: 'float32', shape: ['tokens', DIMENSIONS] },
      { name: 'windows', type: 'int32', shape: ['tokens', WINDOW] },
      { name: 'pool', type: 'float32', shape: ['texts', 'tokens'] },
    ],
    constants,
    nodes,
    output: { name: nodes.at(-1)?.output ?? '', type: 'float32', shape: ['texts', DIMENSIONS] },
  };
  return writeOnnx(graph);
}
