import { contentOf, contentsOf, rewrite, textOf, writeField } from '../onnx/fields.ts';
import { describeFloats, GRAPH, MODEL, readNode, TENSOR, writeNode, writeWeights } from '../onnx/graph.ts';

/** What the model has heard in a chunk, before it remembers. */
const FEATURES = '/model/encoder/3/activation/Relu_output_0';
const RECURRENT = 'model.decoder.rnn.';
const LAST = 'model.decoder.decoder.2.';
const SIZE = 128;
/** Gates stand as input, forget, cell, output in the file, and as input, output, forget, cell in ONNX. */
const GATES = [0, 3, 1, 2];

/**
 * Silero for many chunks of one audio in one run: each is the next step of its memory, where the file takes them for as many
 * audios. The same arithmetic at a third of the cost, since its matrices are small. Undefined for another model.
 */
export function joinChunks(model: Uint8Array): Uint8Array | undefined {
  const graph = contentOf(model, MODEL.graph);
  const weights = new Map(
    (graph ? contentsOf(graph, GRAPH.initializer) : []).map((tensor) => [
      textOf(tensor, TENSOR.name),
      contentOf(tensor, TENSOR.rawData),
    ]),
  );
  const [input, hidden] = [weights.get(`${RECURRENT}weight_ih`), weights.get(`${RECURRENT}weight_hh`)];
  const [inputBias, hiddenBias] = [weights.get(`${RECURRENT}bias_ih`), weights.get(`${RECURRENT}bias_hh`)];
  const last = weights.get(`${LAST}weight`);
  if (!graph || !input || !hidden || !inputBias || !hiddenBias || !last) return undefined;
  const needed = neededFor(FEATURES, contentsOf(graph, GRAPH.node));
  if (needed.size === 0) return undefined;
  const kept = rewrite(graph, ({ number, content }) => {
    if (number === GRAPH.output) return null;
    if (number === GRAPH.initializer) return content && isReplaced(textOf(content, TENSOR.name)) ? null : undefined;
    if (number === GRAPH.input) return content && textOf(content, 1) === 'sr' ? null : undefined;
    return number === GRAPH.node && content && !needed.has(readNode(content).outputs[0] ?? '') ? null : undefined;
  });
  const joined = Buffer.concat([
    kept,
    writeWeights('joined.input', [1, 4 * SIZE, SIZE], orderGates(input)),
    writeWeights('joined.hidden', [1, 4 * SIZE, SIZE], orderGates(hidden)),
    writeWeights('joined.bias', [1, 8 * SIZE], Buffer.concat([orderGates(inputBias), orderGates(hiddenBias)])),
    writeWeights('joined.last', [SIZE, 1], last),
    writeNode('Transpose', [FEATURES], ['joined.steps'], { perm: [0, 2, 1] }),
    writeNode('Split', ['state'], ['joined.before', 'joined.cell'], { axis: 0 }),
    writeNode(
      'LSTM',
      ['joined.steps', 'joined.input', 'joined.hidden', 'joined.bias', '', 'joined.before', 'joined.cell'],
      ['joined.all', 'joined.after', 'joined.cellAfter'],
      { hidden_size: SIZE },
    ),
    writeNode('Relu', ['joined.all'], ['joined.positive']),
    writeNode('MatMul', ['joined.positive', 'joined.last'], ['joined.product']),
    writeNode('Add', ['joined.product', `${LAST}bias`], ['joined.sum']),
    writeNode('Sigmoid', ['joined.sum'], ['output']),
    writeNode('Concat', ['joined.after', 'joined.cellAfter'], ['stateN'], { axis: 0 }),
    writeField(GRAPH.output, describeFloats('output')),
    writeField(GRAPH.output, describeFloats('stateN')),
  ]);
  return rewrite(model, ({ number }) => (number === MODEL.graph ? joined : undefined));
}

function isReplaced(name = ''): boolean {
  return name.startsWith(RECURRENT) || name === `${LAST}weight`;
}

/** The first outputs of the nodes without which a value is not there. */
function neededFor(value: string, nodes: readonly Uint8Array[]): Set<string> {
  const makers = new Map(nodes.map(readNode).flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const needed = new Set<string>();
  const open = [value];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const maker = makers.get(name);
    const own = maker?.outputs[0];
    if (!maker || own === undefined || needed.has(own)) continue;
    needed.add(own);
    open.push(...maker.inputs);
  }
  return needed;
}

function orderGates(bytes: Uint8Array): Uint8Array {
  const size = bytes.length / GATES.length;
  return Buffer.concat(GATES.map((gate) => bytes.subarray(gate * size, (gate + 1) * size)));
}
