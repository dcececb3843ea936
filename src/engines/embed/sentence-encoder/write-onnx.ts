// The few messages of onnx.proto3 that a graph of plain operators needs, written as protobuf.

type AttributeValue = number | { float: number };

export type OnnxNode = {
  op: string;
  inputs: string[];
  output: string;
  attributes?: Record<string, AttributeValue>;
};

export type OnnxConstant = { name: string; shape: number[]; values: Float32Array | Int32Array | BigInt64Array };
/** A word is the name of a size that is known only when the graph runs. */
export type OnnxValue = { name: string; type: 'float32' | 'int32' | 'int64'; shape: (number | string)[] };

export type OnnxGraph = { inputs: OnnxValue[]; constants: OnnxConstant[]; nodes: OnnxNode[]; output: OnnxValue };

/** 17 has layer normalization. */
const OPERATOR_SET = 17;
const FORMAT_VERSION = 8;
const TYPES = { float32: 1, int32: 6, int64: 7 };
const ATTRIBUTE = { float: 1, int: 2 };

/** A message is a list of pieces until the very end, so that big weights are copied once. */
type Message = Buffer[];

export function writeOnnx({ inputs, constants, nodes, output }: OnnxGraph): Buffer {
  const graph = [
    ...nodes.flatMap((node) => field(1, writeNode(node))),
    ...textField(2, 'graph'),
    ...constants.flatMap((constant) => field(5, writeConstant(constant))),
    ...inputs.flatMap((value) => field(11, writeValue(value))),
    ...field(12, writeValue(output)),
  ];
  const operators = [...textField(1, ''), ...numberField(2, OPERATOR_SET)];
  return Buffer.concat([...numberField(1, FORMAT_VERSION), ...field(7, graph), ...field(8, operators)]);
}

function writeNode({ op, inputs, output, attributes = {} }: OnnxNode): Message {
  return [
    ...inputs.flatMap((name) => textField(1, name)),
    ...textField(2, output),
    ...textField(4, op),
    ...Object.entries(attributes).flatMap(([name, value]) => field(5, writeAttribute(name, value))),
  ];
}

function writeAttribute(name: string, value: AttributeValue): Message {
  const isInteger = typeof value === 'number';
  return [
    ...textField(1, name),
    ...(isInteger ? numberField(3, value) : floatField(2, value.float)),
    ...numberField(20, isInteger ? ATTRIBUTE.int : ATTRIBUTE.float),
  ];
}

function writeConstant({ name, shape, values }: OnnxConstant): Message {
  const { buffer, byteOffset, byteLength } = values;
  return [
    ...shape.flatMap((size) => numberField(1, size)),
    ...numberField(2, typeOf(values)),
    ...textField(8, name),
    ...field(9, [Buffer.from(buffer, byteOffset, byteLength)]),
  ];
}

function typeOf(values: OnnxConstant['values']): number {
  if (values instanceof Float32Array) return TYPES.float32;
  return values instanceof Int32Array ? TYPES.int32 : TYPES.int64;
}

function writeValue({ name, type, shape }: OnnxValue): Message {
  const sizes = shape.flatMap((size) => field(1, typeof size === 'number' ? numberField(1, size) : textField(2, size)));
  const tensor = [...numberField(1, TYPES[type]), ...field(2, sizes)];
  return [...textField(1, name), ...field(2, field(1, tensor))];
}

function field(number: number, message: Message): Message {
  const bytes = message.reduce((sum, { length }) => sum + length, 0);
  return [varint(number * 8 + 2), varint(bytes), ...message];
}

const textField = (number: number, text: string) => field(number, [Buffer.from(text)]);
const numberField = (number: number, value: number): Message => [varint(number * 8), varint(value)];

function floatField(number: number, value: number): Message {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [varint(number * 8 + 5), bytes];
}

/** Negative numbers take ten bytes, in two's complement of 64 bits. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
