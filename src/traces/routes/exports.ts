import { z } from 'zod';
import { type AnyRoute, type RawReply, type RequestContext, raw, route } from '../../kit/http/index.ts';
import type { ExportResult, SentExport } from '../otlp/take-export.ts';
import type { TraceService } from '../service/trace-service.ts';

const EXPORT_BYTES_MAX = 4 * 1024 * 1024;
const PROTOBUF = 'application/x-protobuf';

export function exportRoutes(traces: TraceService): AnyRoute[] {
  const otlp = {
    tags: ['observability'],
    permission: 'observability:write',
    method: 'POST' as const,
    rawBody: [PROTOBUF, 'application/json'],
    mayBeEncoded: true,
    bodyBytesMax: EXPORT_BYTES_MAX,
    body: z.unknown(),
    response: z.unknown(),
    downloads: PROTOBUF,
  };
  return [
    route({
      ...otlp,
      path: '/telemetry/v1/traces',
      operationId: 'export_traces',
      summary: 'Take spans of an OpenTelemetry exporter (OTLP over HTTP, protobuf or JSON)',
      handler: (call) => take(call, 'rejectedSpans', (sent) => traces.export(call.scope, sent)),
    }),
    route({
      ...otlp,
      path: '/telemetry/v1/logs',
      operationId: 'export_logs',
      summary: 'Take logs of an OpenTelemetry exporter (OTLP over HTTP, protobuf or JSON)',
      handler: (call) => take(call, 'rejectedLogRecords', (sent) => traces.exportLogs(call.scope, sent)),
    }),
  ];
}

async function take(
  { body, headers }: Pick<RequestContext, 'body' | 'headers'>,
  rejected: string,
  store: (sent: SentExport) => Promise<ExportResult>,
): Promise<RawReply> {
  const type = headers['content-type'] ?? PROTOBUF;
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
  const result = await store({ bytes, type, encoding: headers['content-encoding'] });
  return type.startsWith('application/json')
    ? raw(Buffer.from(JSON.stringify(toPartialSuccess(result, rejected))), 'application/json')
    : raw(writePartialSuccess(result), PROTOBUF);
}

const REFUSED =
  'What has no valid ids, or is from outside the time that is kept, is refused; so is what exceeds the queue.';

function toPartialSuccess({ refused }: ExportResult, rejected: string): object {
  return refused > 0 ? { partialSuccess: { [rejected]: String(refused), errorMessage: REFUSED } } : {};
}

/** `Export…ServiceResponse`: field 1 is the partial success, with the count as 1 and the message as 2. */
function writePartialSuccess({ refused }: ExportResult): Buffer {
  if (refused === 0) return Buffer.alloc(0);
  const message = Buffer.from(REFUSED);
  const inner = Buffer.concat([Buffer.of(0x08), varint(refused), Buffer.of(0x12), varint(message.length), message]);
  return Buffer.concat([Buffer.of(0x0a), varint(inner.length), inner]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 127 ? (rest % 128) | 128 : rest);
    if (rest <= 127) return Buffer.from(bytes);
  }
}
