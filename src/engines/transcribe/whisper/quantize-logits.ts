import { contentsOf, type Field, rewrite, textOf } from '../onnx/fields.ts';
import { BRANCH, branchesOf, describeFloats, FLOAT, GRAPH, MODEL, NODE, readNode, writeNode } from '../onnx/graph.ts';

const LOGITS = 'logits';
const HIDDEN = 'logits_hidden';

/** How a branch of the decoder makes its logits: by the words' own vectors, which it widens to floats each time. */
type Head = { hidden: string; words: string; scale: string; zero: string; outputs: ReadonlySet<string> };

/**
 * The last step of the decoder in whole numbers, as all the others are. The files keep the vectors of the fifty thousand words as
 * bytes, but turn and widen all of them to a hundred megabytes of floats for each token, which takes three quarters of its
 * time. A model that is made otherwise stays as it is.
 */
export function quantizeLogits(model: Uint8Array): Uint8Array {
  return rewrite(model, ({ number, content }) => {
    if (number !== MODEL.graph || !content) return undefined;
    const choice = contentsOf(content, GRAPH.node).find((node) => readNode(node).outputs.includes(LOGITS));
    const branches = choice ? branchesOf(choice).map(findHead) : [];
    const [head] = branches;
    if (!head || branches.some((other) => other?.words !== head.words)) return undefined;
    const graph = rewrite(content, (field) =>
      field.number === GRAPH.node && field.content && readNode(field.content).outputs.includes(LOGITS)
        ? rewrite(field.content, changeChoice)
        : undefined,
    );
    return Buffer.concat([graph, ...multiply(head)]);
  });
}

function findHead(branch: Uint8Array): Head | undefined {
  const nodes = contentsOf(branch, GRAPH.node).map(readNode);
  const madeBy = (operator: string, name: string | undefined) =>
    nodes.find((node) => node.operator === operator && name !== undefined && node.outputs.includes(name));
  const product = madeBy('MatMul', LOGITS);
  const widened = madeBy('DequantizeLinear', product?.inputs[1]);
  const turned = madeBy('Transpose', widened?.inputs[0]);
  const [hidden, words, scale, zero] = [product?.inputs[0], turned?.inputs[0], widened?.inputs[1], widened?.inputs[2]];
  if (hidden === undefined || words === undefined || scale === undefined || zero === undefined) return undefined;
  const outputs = new Set([product, widened, turned].flatMap((node) => node?.outputs ?? []));
  return { hidden, words, scale, zero, outputs };
}

/** Both branches hand out what the logits are made of. */
function changeChoice({ number, content }: Field): Uint8Array | undefined {
  if (!content) return undefined;
  if (number === NODE.output && Buffer.from(content).toString() === LOGITS) return Buffer.from(HIDDEN);
  if (number !== NODE.attribute) return undefined;
  return rewrite(content, (field) => {
    const head = field.number === BRANCH && field.content && findHead(field.content);
    return head && field.content ? rewrite(field.content, (inner) => changeBranch(inner, head)) : undefined;
  });
}

function changeBranch({ number, content }: Field, { hidden, outputs }: Head): Uint8Array | null | undefined {
  if (!content) return undefined;
  if (number === GRAPH.node && readNode(content).outputs.some((name) => outputs.has(name))) return null;
  if (number !== GRAPH.output || textOf(content, 1) !== LOGITS) return undefined;
  return describeFloats(hidden);
}

function multiply({ words, scale, zero }: Head): Uint8Array[] {
  return [
    writeNode('Transpose', [words], ['logits_words']),
    writeNode('DynamicQuantizeLinear', [HIDDEN], ['logits_bytes', 'logits_scale', 'logits_zero']),
    writeNode('MatMulInteger', ['logits_bytes', 'logits_words', 'logits_zero', zero], ['logits_whole']),
    writeNode('Cast', ['logits_whole'], ['logits_unscaled'], { to: FLOAT }),
    writeNode('Mul', ['logits_scale', scale], ['logits_scales']),
    writeNode('Mul', ['logits_unscaled', 'logits_scales'], [LOGITS]),
  ];
}
