import {
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, type Authenticate, type Credentials, type Scope } from '../../kit/http/index.ts';
import { type AllowedCall, allowedCalls } from './allowed-calls.ts';
import { checkMessage, MESSAGE_BYTES_MAX, PREFIX_BYTES } from './check-message.ts';
import { failTask, forwardCall, grpcAnswer } from './forward-call.ts';
import { CODES, Refusal, statusHeaders } from './grpc-status.ts';
import { retryLostRegistration, TASK_COMPLETED } from './lost-registration.ts';
import { createUpstream, type UpstreamSettings } from './upstream.ts';

export type Gateway = {
  /** The address that it listens on; port 0 chooses a free one. */
  listen(at: { host: string; port: number }): Promise<{ port: number }>;
  close(): Promise<void>;
};

const RECHECK_MS = 1000;
const IDLE_MS = 10 * 60 * 1000;
const STREAMS_MAX = 1000;
const WINDOW_BYTES = 1024 * 1024;
/** How long a stopping gateway waits for calls. Polls end at once; workers repeat them elsewhere. */
const DRAIN_MS = 2000;
const IS_POLL = /\/Poll\w+Queue$/;

/**
 * The only way to Temporal: a gRPC listener that authenticates the key and forwards calls within the namespace of its
 * workspace. It parses only the fields that it checks and forwards the bytes unchanged.
 */
export function createGateway(options: {
  temporal: UpstreamSettings;
  authenticate: Authenticate;
  namespaceOf: (workspaceId: string) => string;
  tls?: { cert: string; key: string } | undefined;
  log: Logger;
}): Gateway {
  const { authenticate, namespaceOf, tls, log } = options;
  const upstream = createUpstream(options.temporal);
  const settings = { maxConcurrentStreams: STREAMS_MAX, initialWindowSize: WINDOW_BYTES };
  const server = tls ? createSecureServer({ ...tls, settings }) : createServer({ settings });
  const sessions = new Set<ServerHttp2Session>();
  /** Open calls and their keys: a poll lasts up to a minute and must end when its key is revoked. */
  const open = new Map<ServerHttp2Stream, { path: string; credentials: Credentials; allowed: AllowedCall }>();

  server.on('session', (session) => {
    sessions.add(session);
    session.setTimeout(IDLE_MS, () => session.close());
    session.on('close', () => sessions.delete(session));
    session.on('error', (error) => log.debug({ err: error }, 'A connection to the Temporal gateway broke.'));
  });
  server.on('stream', (call: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    call.on('error', () => undefined);
    const path = headers[':path'] ?? '';
    call.on('close', () => {
      open.delete(call);
      log.debug({ call: path.split('/').at(-1), status: statusSent(call) }, 'a call of the Temporal gateway');
    });
    serve(call, headers, path).catch((error: unknown) => {
      if (!(error instanceof Refusal)) log.error({ err: error, path }, 'A call of the Temporal gateway failed.');
      refuse(call, asRefusal(error));
    });
  });

  async function serve(call: ServerHttp2Stream, headers: IncomingHttpHeaders, path: string): Promise<void> {
    if (headers[':method'] !== 'POST' || !/^application\/grpc(\+proto)?(;|$)/.test(headers['content-type'] ?? '')) {
      call.respond({ ':status': 415, 'content-type': 'text/plain' });
      call.end('This port speaks gRPC only.\n');
      return;
    }
    // Authenticates, then checks the path, then reads the body: without a key a caller learns nothing.
    const credentials: Credentials = { authorization: headers.authorization, apiKey: undefined };
    const scope = await authenticated(credentials);
    const allowed = allowedCalls.get(path);
    if (!allowed) throw new Refusal(CODES.unimplemented, 'This gateway does not pass on calls of this name.');
    permit(scope, allowed);
    const body = await readBody(call);
    if (!body) return;
    const namespace = namespaceOf(scope.workspace_id);
    const message = checkMessage(body, headers['grpc-encoding'] as string | undefined, allowed, namespace);
    open.set(call, { path, credentials, allowed });
    const retry = path === TASK_COMPLETED ? retryLostRegistration(message) : undefined;
    if (retry) failTask(call, headers, retry, { upstream, namespace });
    else forwardCall(call, headers, body, { upstream, namespace });
  }

  async function authenticated(credentials: Credentials): Promise<Scope> {
    const scope = await authenticate(credentials, 'standard');
    if (!scope) throw new Refusal(CODES.unauthenticated, 'The API key is missing or not valid.');
    return scope;
  }

  const recheck = setInterval(() => {
    for (const [call, { credentials, allowed }] of open)
      authenticated(credentials)
        .then((scope) => permit(scope, allowed))
        .catch((error: unknown) => {
          if (error instanceof Refusal) refuse(call, error);
        });
  }, RECHECK_MS);
  recheck.unref();

  return {
    async listen({ host, port }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return { port: (server.address() as AddressInfo).port };
    },
    async close() {
      clearInterval(recheck);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      for (const [call, { path }] of open)
        if (IS_POLL.test(path)) refuse(call, new Refusal(CODES.unavailable, 'The server is stopping.'));
      const late = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, DRAIN_MS);
      await closed;
      clearTimeout(late);
      upstream.close();
    },
  };
}

/** Undefined when the caller disconnected first. */
function statusSent({ sentHeaders, sentTrailers }: ServerHttp2Stream): number | undefined {
  const status = sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status'];
  return status === undefined ? undefined : Number(status);
}

function permit(scope: Scope, { permission }: AllowedCall): void {
  if (scope.refusal !== undefined) throw new Refusal(CODES.permissionDenied, scope.refusal);
  if (!scope.permissions.has(permission))
    throw new Refusal(CODES.permissionDenied, `The key lacks the permission ${permission}.`);
}

/** Undefined when the caller has disconnected. */
async function readBody(call: ServerHttp2Stream): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of call.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MESSAGE_BYTES_MAX + PREFIX_BYTES) throw tooLarge(bytes - PREFIX_BYTES);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return undefined;
  }
  if (call.aborted) return undefined;
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes);
}

/** Temporal's own error details: with them workers fail the task instead of retrying. */
function tooLarge(bytes: number): Refusal {
  return new Refusal(
    CODES.resourceExhausted,
    `grpc: received message larger than max (${bytes} vs. ${MESSAGE_BYTES_MAX})`,
  );
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // The authenticator throws a 503 when the database is unreachable.
  if (error instanceof ApiError && error.status === 503) return new Refusal(CODES.unavailable, error.message);
  return new Refusal(CODES.internal, 'The call failed.');
}

function refuse(call: ServerHttp2Stream, { code, message }: Refusal): void {
  if (call.destroyed || call.closed) return;
  if (call.headersSent) call.close();
  else {
    call.respond({ ...grpcAnswer(), ...statusHeaders(code, message) }, { endStream: true });
    // Discards the rest of the body.
    call.resume();
  }
}
