import { listIn, objectIn, objectOf, pairsIn, timeIn, wordIn } from './read-json.ts';
import { type Attributes, attributesIn, hexIn, messagesIn, numberIn, parse, textIn } from './read-message.ts';

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
