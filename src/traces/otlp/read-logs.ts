import { anyOf, listIn, objectIn, objectOf, pairsIn, timeIn, wordIn } from './read-json.ts';
import {
  type Attributes,
  type AttributeValue,
  attributesIn,
  hexIn,
  messagesIn,
  numberIn,
  parse,
  textIn,
  valueIn,
} from './read-message.ts';

/** A line of a log as an exporter sent it, in either encoding. */
export type SentLog = {
  timeNs: bigint;
  observedNs: bigint;
  severityNumber: number;
  severityText: string;
  body: AttributeValue;
  attributes: Attributes;
  flags: number;
  traceId: string;
  spanId: string;
  eventName: string;
  resource: Attributes;
  resourceSchemaUrl: string;
  scopeName: string;
  scopeVersion: string;
  scopeAttributes: Attributes;
  scopeSchemaUrl: string;
};

/** `ExportLogsServiceRequest` as protobuf. */
export function readProtobufLogs(bytes: Uint8Array): SentLog[] {
  const lines: SentLog[] = [];
  for (const resourceLogs of messagesIn(parse(bytes), 1)) {
    const resource = attributesIn(messagesIn(resourceLogs, 1)[0] ?? new Map(), 1);
    for (const scopeLogs of messagesIn(resourceLogs, 2)) {
      const scope = messagesIn(scopeLogs, 1)[0] ?? new Map();
      for (const line of messagesIn(scopeLogs, 2))
        lines.push({
          timeNs: numberIn(line, 1),
          severityNumber: Number(numberIn(line, 2)),
          severityText: textIn(line, 3),
          body: valueIn(messagesIn(line, 5)[0], 0),
          attributes: attributesIn(line, 6),
          flags: Number(numberIn(line, 8)),
          traceId: hexIn(line, 9),
          spanId: hexIn(line, 10),
          observedNs: numberIn(line, 11),
          eventName: textIn(line, 12),
          resource,
          resourceSchemaUrl: textIn(resourceLogs, 3),
          scopeName: textIn(scope, 1),
          scopeVersion: textIn(scope, 2),
          scopeAttributes: attributesIn(scope, 3),
          scopeSchemaUrl: textIn(scopeLogs, 3),
        });
    }
  }
  return lines;
}

/** The same as JSON. */
export function readJsonLogs(body: unknown): SentLog[] {
  const lines: SentLog[] = [];
  for (const resourceLogs of listIn(objectOf(body), 'resourceLogs')) {
    const resource = pairsIn(objectIn(resourceLogs, 'resource'));
    for (const scopeLogs of listIn(resourceLogs, 'scopeLogs')) {
      const scope = objectIn(scopeLogs, 'scope');
      for (const line of listIn(scopeLogs, 'logRecords'))
        lines.push({
          timeNs: timeIn(line, 'timeUnixNano'),
          observedNs: timeIn(line, 'observedTimeUnixNano'),
          severityNumber: Number(line.severityNumber ?? 0),
          severityText: wordIn(line, 'severityText'),
          body: anyOf(objectIn(line, 'body'), 0),
          attributes: pairsIn(line),
          flags: Number(line.flags ?? 0),
          traceId: wordIn(line, 'traceId').toLowerCase(),
          spanId: wordIn(line, 'spanId').toLowerCase(),
          eventName: wordIn(line, 'eventName'),
          resource,
          resourceSchemaUrl: wordIn(resourceLogs, 'schemaUrl'),
          scopeName: wordIn(scope, 'name'),
          scopeVersion: wordIn(scope, 'version'),
          scopeAttributes: pairsIn(scope),
          scopeSchemaUrl: wordIn(scopeLogs, 'schemaUrl'),
        });
    }
  }
  return lines;
}
