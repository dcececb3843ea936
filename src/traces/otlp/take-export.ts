import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Clock } from '../../kit/base/clock.ts';
import { ownTurn } from '../../kit/base/own-turn.ts';
import type { Scope } from '../../kit/http/index.ts';
import { traceErrors } from '../errors.ts';
import type { SpanSink } from '../span-sink.ts';
import { MalformedMessage } from './protobuf.ts';
import { readJson, readProtobuf, type SentSpan } from './read-export.ts';
import { toTakenSpan } from './to-spans.ts';

/** After decompression. Exporters send some hundreds of spans at once. */
const EXPORT_BYTES_MAX = 4 * 1024 * 1024;
const SPANS_MAX = 5000;

const inflate = promisify(gunzip);

export type SentExport = { bytes: Uint8Array; type: string; encoding: string | undefined };
export type ExportResult = { taken: number; refused: number };

type Ports = { sink: Pick<SpanSink, 'add'>; now: Clock; retentionUs: number };

/** Spans of one request. What is wrong with single spans refuses those, as OTLP's partial success tells. */
export async function takeExport(ports: Ports, scope: Scope, sent: SentExport): Promise<ExportResult> {
  const bytes = await decompress(sent);
  await ownTurn(scope.principal);
  const spans = decode(bytes, sent.type);
  const nowUs = ports.now() * 1000;
  const taken = spans.slice(0, SPANS_MAX).flatMap((span) => toTakenSpan(span, scope, nowUs, ports.retentionUs) ?? []);
  const count = ports.sink.add(taken.map(({ span }) => span));
  return { taken: count, refused: spans.length - count };
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

function decode(bytes: Uint8Array, type: string): SentSpan[] {
  try {
    return type.startsWith('application/json')
      ? readJson(JSON.parse(Buffer.from(bytes).toString()))
      : readProtobuf(bytes);
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof SyntaxError)
      throw traceErrors.spans_malformed(`${error.message}.`);
    throw error;
  }
}
