import { MalformedMessage, readFields } from './protobuf.ts';

export type AttributeValue = string | number | boolean | AttributeValue[] | { [key: string]: AttributeValue };
export type Attributes = Record<string, AttributeValue>;

/** Deeper values are cut off: conventions have lists of objects, no more. */
export const DEPTH_MAX = 8;
const decoder = new TextDecoder();

type Message = Map<number, (bigint | Uint8Array)[]>;

export function parse(bytes: Uint8Array): Message {
  const message: Message = new Map();
  for (const { number, value } of readFields(bytes)) {
    const known = message.get(number);
    if (known) known.push(value);
    else message.set(number, [value]);
  }
  return message;
}

function bytesIn(message: Message, number: number): Uint8Array[] {
  const values = message.get(number) ?? [];
  return values.map((value) => {
    if (typeof value === 'bigint') throw new MalformedMessage('a field has another type than in the protocol');
    return value;
  });
}

export const messagesIn = (message: Message, number: number) => bytesIn(message, number).map(parse);
export const textIn = (message: Message, number: number) => decoder.decode(bytesIn(message, number).at(-1));
export const hexIn = (message: Message, number: number) =>
  Buffer.from(bytesIn(message, number).at(-1) ?? []).toString('hex');

export function numberIn(message: Message, number: number): bigint {
  const value = message.get(number)?.at(-1) ?? 0n;
  if (typeof value !== 'bigint') throw new MalformedMessage('a field has another type than in the protocol');
  return value;
}

export function attributesIn(message: Message, number: number, depth = 0): Attributes {
  return Object.fromEntries(
    messagesIn(message, number).map((pair) => [textIn(pair, 1), valueIn(messagesIn(pair, 2)[0], depth)]),
  );
}

export function valueIn(value: Message | undefined, depth: number): AttributeValue {
  if (!value || depth > DEPTH_MAX) return '';
  if (value.has(1)) return textIn(value, 1);
  if (value.has(2)) return numberIn(value, 2) !== 0n;
  if (value.has(3)) return Number(BigInt.asIntN(64, numberIn(value, 3)));
  if (value.has(4)) return new Float64Array(BigUint64Array.of(numberIn(value, 4)).buffer)[0] ?? 0;
  if (value.has(5)) {
    const list = messagesIn(value, 5)[0] ?? new Map();
    return messagesIn(list, 1).map((one) => valueIn(one, depth + 1));
  }
  if (value.has(6)) return attributesIn(messagesIn(value, 6)[0] ?? new Map(), 1, depth + 1);
  return Buffer.from(bytesIn(value, 7).at(-1) ?? []).toString('base64');
}
