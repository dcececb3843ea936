import { MalformedMessage, readFields } from './protobuf.ts';

/** A span as an exporter sent it, in either encoding. */
export type SentSpan = {
  traceId: string;
  spanId: string;
  traceState: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  statusCode: number;
  statusMessage: string;
  resource: Attributes;
  scopeName: string;
  scopeVersion: string;
};

export type AttributeValue = string | number | boolean | AttributeValue[] | { [key: string]: AttributeValue };
export type Attributes = Record<string, AttributeValue>;

/** Deeper values are cut off: conventions have lists of objects, no more. */
const DEPTH_MAX = 8;
const decoder = new TextDecoder();

type Message = Map<number, (bigint | Uint8Array)[]>;

/** `ExportTraceServiceRequest` as protobuf. */
export function readProtobuf(bytes: Uint8Array): SentSpan[] {
  const spans: SentSpan[] = [];
  for (const resourceSpans of messagesIn(parse(bytes), 1)) {
    const resource = attributesIn(messagesIn(resourceSpans, 1)[0] ?? new Map(), 1);
    for (const scopeSpans of messagesIn(resourceSpans, 2)) {
      const scope = messagesIn(scopeSpans, 1)[0] ?? new Map();
      const [scopeName, scopeVersion] = [textIn(scope, 1), textIn(scope, 2)];
      for (const span of messagesIn(scopeSpans, 2)) {
        const status = messagesIn(span, 15)[0] ?? new Map();
        spans.push({
          traceId: hexIn(span, 1),
          spanId: hexIn(span, 2),
          traceState: textIn(span, 3),
          parentSpanId: hexIn(span, 4),
          name: textIn(span, 5),
          kind: Number(numberIn(span, 6)),
          startNs: numberIn(span, 7),
          endNs: numberIn(span, 8),
          attributes: attributesIn(span, 9),
          statusMessage: textIn(status, 2),
          statusCode: Number(numberIn(status, 3)),
          ...{ resource, scopeName, scopeVersion },
        });
      }
    }
  }
  return spans;
}

function parse(bytes: Uint8Array): Message {
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

const messagesIn = (message: Message, number: number) => bytesIn(message, number).map(parse);
const textIn = (message: Message, number: number) => decoder.decode(bytesIn(message, number).at(-1));
const hexIn = (message: Message, number: number) => Buffer.from(bytesIn(message, number).at(-1) ?? []).toString('hex');

function numberIn(message: Message, number: number): bigint {
  const value = message.get(number)?.at(-1) ?? 0n;
  if (typeof value !== 'bigint') throw new MalformedMessage('a field has another type than in the protocol');
  return value;
}

function attributesIn(message: Message, number: number, depth = 0): Attributes {
  return Object.fromEntries(
    messagesIn(message, number).map((pair) => [textIn(pair, 1), valueIn(messagesIn(pair, 2)[0], depth)]),
  );
}

function valueIn(value: Message | undefined, depth: number): AttributeValue {
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

type Json = Record<string, unknown>;

/** The same as JSON, where ids are hexadecimal and large numbers may be texts. */
export function readJson(body: unknown): SentSpan[] {
  const spans: SentSpan[] = [];
  for (const resourceSpans of listIn(objectOf(body), 'resourceSpans')) {
    const resource = pairsIn(objectIn(resourceSpans, 'resource'));
    for (const scopeSpans of listIn(resourceSpans, 'scopeSpans')) {
      const scope = objectIn(scopeSpans, 'scope');
      for (const span of listIn(scopeSpans, 'spans')) {
        const status = objectIn(span, 'status');
        spans.push({
          traceId: wordIn(span, 'traceId').toLowerCase(),
          spanId: wordIn(span, 'spanId').toLowerCase(),
          traceState: wordIn(span, 'traceState'),
          parentSpanId: wordIn(span, 'parentSpanId').toLowerCase(),
          name: wordIn(span, 'name'),
          kind: Number(span.kind ?? 0),
          startNs: timeIn(span, 'startTimeUnixNano'),
          endNs: timeIn(span, 'endTimeUnixNano'),
          attributes: pairsIn(span),
          statusMessage: wordIn(status, 'message'),
          statusCode: Number(status.code ?? 0),
          resource,
          scopeName: wordIn(scope, 'name'),
          scopeVersion: wordIn(scope, 'version'),
        });
      }
    }
  }
  return spans;
}

function objectOf(value: unknown): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new MalformedMessage('an object is expected where there is none');
}

const objectIn = (json: Json, name: string): Json => (json[name] == null ? {} : objectOf(json[name]));

function listIn(json: Json, name: string): Json[] {
  const list = json[name] ?? [];
  if (!Array.isArray(list)) throw new MalformedMessage(`${name} is not a list`);
  return list.map(objectOf);
}

function wordIn(json: Json, name: string): string {
  const value = json[name] ?? '';
  if (typeof value !== 'string') throw new MalformedMessage(`${name} is not a text`);
  return value;
}

function timeIn(json: Json, name: string): bigint {
  const text = String(json[name] ?? 0);
  if (!/^\d{1,20}$/.test(text)) throw new MalformedMessage(`${name} is not a number of nanoseconds`);
  return BigInt(text);
}

function pairsIn(json: Json, name = 'attributes', depth = 0): Attributes {
  return Object.fromEntries(
    listIn(json, name).map((pair) => [wordIn(pair, 'key'), anyOf(objectIn(pair, 'value'), depth)]),
  );
}

function anyOf(value: Json, depth: number): AttributeValue {
  if (depth > DEPTH_MAX) return '';
  if ('stringValue' in value) return String(value.stringValue);
  if ('boolValue' in value) return value.boolValue === true;
  if ('intValue' in value) return Number(value.intValue);
  if ('doubleValue' in value) return Number(value.doubleValue);
  if ('arrayValue' in value) return listIn(objectIn(value, 'arrayValue'), 'values').map((one) => anyOf(one, depth + 1));
  if ('kvlistValue' in value) return pairsIn(objectIn(value, 'kvlistValue'), 'values', depth + 1);
  return typeof value.bytesValue === 'string' ? value.bytesValue : '';
}
