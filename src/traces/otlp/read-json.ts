import { MalformedMessage } from './protobuf.ts';
import { type Attributes, type AttributeValue, DEPTH_MAX } from './read-message.ts';

type Json = Record<string, unknown>;

export function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new MalformedMessage('an object is expected where there is none');
}

export const objectIn = (json: Json, name: string): Json => (json[name] == null ? {} : objectOf(json[name]));

export function listIn(json: Json, name: string): Json[] {
  const list = json[name] ?? [];
  if (!Array.isArray(list)) throw new MalformedMessage(`${name} is not a list`);
  return list.map(objectOf);
}

export function wordIn(json: Json, name: string): string {
  const value = json[name] ?? '';
  if (typeof value !== 'string') throw new MalformedMessage(`${name} is not a text`);
  return value;
}

export function timeIn(json: Json, name: string): bigint {
  const text = String(json[name] ?? 0);
  if (!/^\d{1,20}$/.test(text)) throw new MalformedMessage(`${name} is not a number of nanoseconds`);
  return BigInt(text);
}

export function pairsIn(json: Json, name = 'attributes', depth = 0): Attributes {
  return Object.fromEntries(
    listIn(json, name).map((pair) => [wordIn(pair, 'key'), anyOf(objectIn(pair, 'value'), depth)]),
  );
}

export function anyOf(value: Json, depth: number): AttributeValue {
  if (depth > DEPTH_MAX) return '';
  if ('stringValue' in value) return String(value.stringValue);
  if ('boolValue' in value) return value.boolValue === true;
  if ('intValue' in value) return Number(value.intValue);
  if ('doubleValue' in value) return Number(value.doubleValue);
  if ('arrayValue' in value) return listIn(objectIn(value, 'arrayValue'), 'values').map((one) => anyOf(one, depth + 1));
  if ('kvlistValue' in value) return pairsIn(objectIn(value, 'kvlistValue'), 'values', depth + 1);
  return typeof value.bytesValue === 'string' ? value.bytesValue : '';
}
