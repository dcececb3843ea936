import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { PREFIX_BYTES } from './check-message.ts';
import { CODES, statusHeaders } from './grpc-status.ts';
import { TASK_FAILED } from './lost-registration.ts';
import type { Upstream } from './upstream.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM } = constants;

/** Headers that are not forwarded: of the connection, set by us, or secret (the key). */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'forwarded',
  'temporal-namespace',
]);

/** Forwards a checked request and streams the response unchanged, with backpressure. A disconnect cancels both sides. */
export function forwardCall(
  call: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  body: Buffer,
  { upstream, namespace }: { upstream: Upstream; namespace: string },
): void {
  const answer = upstream.request(headersFor(headers, namespace));
  let trailers: IncomingHttpHeaders | undefined;

  answer.on('response', (received, flags) => {
    if (call.destroyed) return;
    const shown = withoutPseudo(received, ':status');
    if (flags & NGHTTP2_FLAG_END_STREAM) {
      call.respond(shown, { endStream: true });
      return;
    }
    call.respond(shown, { waitForTrailers: true });
    answer.pipe(call);
  });
  answer.on('trailers', (received) => {
    trailers = received;
  });
  call.on('wantTrailers', () => {
    call.sendTrailers(trailers ? withoutPseudo(trailers) : unavailable());
  });
  answer.on('error', () => undefined);
  answer.on('close', () => {
    if (call.destroyed || call.writableEnded) return;
    if (call.headersSent) call.end();
    else call.respond({ ...grpcAnswer(), ...unavailable() }, { endStream: true });
  });
  call.on('close', () => answer.close(NGHTTP2_CANCEL));
  answer.end(body);
}

/**
 * Fails a task instead of completing it. The worker is told that its task is gone, and forgets the run until Temporal
 * gives it out again.
 */
export function failTask(
  call: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  message: Uint8Array,
  { upstream, namespace }: { upstream: Upstream; namespace: string },
): void {
  const { 'content-length': _length, 'grpc-encoding': _encoding, ...others } = headers;
  const answer = upstream.request(headersFor({ ...others, ':path': TASK_FAILED }, namespace));
  let status: OutgoingHttpHeaders = unavailable();
  const take = (received: IncomingHttpHeaders) => {
    const { 'grpc-status': code, 'grpc-message': said } = received;
    if (code === undefined) return;
    status =
      Number(code) === 0
        ? statusHeaders(CODES.notFound, 'The task is tried again: the registration of its run was lost.')
        : { 'grpc-status': code, ...(said === undefined ? {} : { 'grpc-message': said }) };
  };
  answer.on('response', take);
  answer.on('trailers', take);
  answer.on('error', () => undefined);
  answer.on('close', () => {
    if (!call.destroyed && !call.headersSent) call.respond({ ...grpcAnswer(), ...status }, { endStream: true });
  });
  answer.resume();
  call.on('close', () => answer.close(NGHTTP2_CANCEL));
  answer.end(frame(message));
}

function frame(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

export function grpcAnswer(): OutgoingHttpHeaders {
  return { ':status': 200, 'content-type': 'application/grpc' };
}

function unavailable(): OutgoingHttpHeaders {
  return statusHeaders(CODES.unavailable, 'Temporal cannot be reached. Try again in a moment.');
}

function headersFor(given: IncomingHttpHeaders, namespace: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ':method': 'POST', ':path': given[':path'], te: 'trailers' };
  for (const [name, value] of Object.entries(given))
    if (!name.startsWith(':') && !name.startsWith('x-forwarded-') && !NOT_FORWARDED.has(name)) headers[name] = value;
  headers['temporal-namespace'] = namespace;
  return headers;
}

function withoutPseudo(given: IncomingHttpHeaders, kept?: string): OutgoingHttpHeaders {
  const entries = Object.entries(given).filter(([name]) => name === kept || !name.startsWith(':'));
  return Object.fromEntries(entries.filter(([name]) => name !== 'connection'));
}
