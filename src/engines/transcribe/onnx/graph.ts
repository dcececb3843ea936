import { contentsOf, textOf, textsOf, writeField, writeNumber } from './fields.ts';

/** Fields of the messages of an ONNX file. */
export const MODEL = { graph: 7 };
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12 };
export const NODE = { input: 1, output: 2, operator: 4, attribute: 5 };
export const TENSOR = { dims: 1, type: 2, name: 8, rawData: 9 };
/** Where an attribute has a graph. */
export const BRANCH = 6;
const ATTRIBUTE = { name: 1, number: 3, numbers: 8, type: 20 };
const ATTRIBUTE_TYPE = { number: 2, numbers: 7 };
/** The type of elements. */
export const FLOAT = 1;

type Node = { operator: string | undefined; inputs: string[]; outputs: string[] };

export function readNode(node: Uint8Array): Node {
  return {
    operator: textOf(node, NODE.operator),
    inputs: textsOf(node, NODE.input),
    outputs: textsOf(node, NODE.output),
  };
}

/** The graphs between which an operator chooses. */
export function branchesOf(node: Uint8Array): Uint8Array[] {
  return contentsOf(node, NODE.attribute).flatMap((attribute) => contentsOf(attribute, BRANCH));
}

/** A node as a field of its graph; attributes are whole numbers or lists of them. */
export function writeNode(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | readonly number[]>> = {},
): Uint8Array {
  const fields = [
    ...inputs.map((name) => writeField(NODE.input, name)),
    ...outputs.map((name) => writeField(NODE.output, name)),
    writeField(NODE.operator, operator),
    ...Object.entries(attributes).map(([name, value]) => writeField(NODE.attribute, writeAttribute(name, value))),
  ];
  return writeField(GRAPH.node, Buffer.concat(fields));
}

function writeAttribute(name: string, value: number | readonly number[]): Uint8Array {
  const isNumber = typeof value === 'number';
  const numbers = isNumber
    ? [writeNumber(ATTRIBUTE.number, value)]
    : value.map((one) => writeNumber(ATTRIBUTE.numbers, one));
  const type = writeNumber(ATTRIBUTE.type, isNumber ? ATTRIBUTE_TYPE.number : ATTRIBUTE_TYPE.numbers);
  return Buffer.concat([writeField(ATTRIBUTE.name, name), ...numbers, type]);
}

/** Floats that belong to the model, as a field of its graph. */
export function writeWeights(name: string, dims: readonly number[], bytes: Uint8Array): Uint8Array {
  const fields = [
    ...dims.map((size) => writeNumber(TENSOR.dims, size)),
    writeNumber(TENSOR.type, FLOAT),
    writeField(TENSOR.name, name),
    writeField(TENSOR.rawData, bytes),
  ];
  return writeField(GRAPH.initializer, Buffer.concat(fields));
}

/** An input or output of floats with any shape, without its field. */
export function describeFloats(name: string): Uint8Array {
  return Buffer.concat([writeField(1, name), writeField(2, writeField(1, writeNumber(1, FLOAT)))]);
}
