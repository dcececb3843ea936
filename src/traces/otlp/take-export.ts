import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Clock } from '../../kit/base/clock.ts';
import { ownTurn } from '../../kit/base/own-turn.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Redactor } from '../content/redactor.ts';
import { traceErrors } from '../errors.ts';
import type { SpanSink } from '../span-sink.ts';
import { MalformedMessage } from './protobuf.ts';
import { readJson, readProtobuf } from './read-export.ts';
import { readJsonLogs, readProtobufLogs } from './read-logs.ts';
import { toTakenLog } from './to-logs.ts';
import { toTakenSpan } from './to-spans.ts';

/** After decompression. Exporters send some hundreds of spans at once. */
const EXPORT_BYTES_MAX = 4 * 1024 * 1024;
const ITEMS_MAX = 5000;

const inflate = promisify(gunzip);

export type SentExport = { bytes: Uint8Array; type: string; encoding: string | undefined };
export type ExportResult = { taken: number; refused: number };

type Ports = {
  sink: Pick<SpanSink, 'add' | 'addLogs'>;
  now: Clock;
  retentionUs: number;
  /** Whether what was said in a trace is kept. */
  keeps(workspaceId: string, traceId: string): boolean;
  redact: Redactor;
};

/** Spans of one request. What is wrong with single spans refuses those, as OTLP's partial success tells. */
export async function takeExport(ports: Ports, scope: Scope, sent: SentExport): Promise<ExportResult> {
  const spans = await read(sent, { json: readJson, protobuf: readProtobuf });
  const nowUs = ports.now() * 1000;
  const taken = spans.slice(0, ITEMS_MAX).flatMap((span) => toTakenSpan(span, scope, nowUs, ports.retentionUs) ?? []);
  const count = ports.sink.add(
    taken.map(({ span, content }) => ({
      span,
      content: content && ports.keeps(scope.workspace_id, span.trace_id) ? content : undefined,
    })),
  );
  return { taken: count, refused: spans.length - count };
}

/** Lines of logs, in the same way. Their messages are redacted by the operator's rules. */
export async function takeLogs(ports: Ports, scope: Scope, sent: SentExport): Promise<ExportResult> {
  const lines = await read(sent, { json: readJsonLogs, protobuf: readProtobufLogs });
  const nowUs = ports.now() * 1000;
  const rows = lines.slice(0, ITEMS_MAX).flatMap((line) => toTakenLog(line, scope, nowUs, ports.retentionUs) ?? []);
  const bodies = ports.redact(rows.map(({ body }) => body));
  const count = bodies ? ports.sink.addLogs(rows.map((row, i) => ({ ...row, body: bodies[i] ?? '' }))) : 0;
  return { taken: count, refused: lines.length - count };
}

type Readers<T> = { json(body: unknown): T[]; protobuf(bytes: Uint8Array): T[] };

async function read<T>(sent: SentExport, readers: Readers<T>): Promise<T[]> {
  const bytes = await decompress(sent);
  await ownTurn();
  return decode(bytes, sent.type, readers);
}

async function decompress({ bytes, encoding }: SentExport): Promise<Uint8Array> {
  if (encoding === undefined || encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw traceErrors.spans_malformed(`Content-Encoding is gzip or nothing, not ${encoding}.`);
  try {
    return await inflate(bytes, { maxOutputLength: EXPORT_BYTES_MAX });
  } catch (error) {
    const isLarge = error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw isLarge ? traceErrors.export_too_large() : traceErrors.spans_malformed('the body is not gzip.');
  }
}

function decode<T>(bytes: Uint8Array, type: string, { json, protobuf }: Readers<T>): T[] {
  try {
    return type.startsWith('application/json') ? json(JSON.parse(Buffer.from(bytes).toString())) : protobuf(bytes);
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof SyntaxError)
      throw traceErrors.spans_malformed(`${error.message}.`);
    throw error;
  }
}
