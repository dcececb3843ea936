import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyTurns } from './body-turns.ts';
import { callerOf } from './current-request.ts';
import type { ApiError } from './errors.ts';
import { DEFAULT_JSON_LIMITS, parseJson } from './json-body.ts';
import { PIECE_BYTES, parseLargeJson } from './parse-large-json.ts';
import { giveBack, readWhole } from './read-whole.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute } from './route.ts';

/** A body counts as long as it is parsed, and then until the response, but no longer: a model may take minutes. */
const HANDLED_MS = 250;
const JSON_TYPE = 'application/json';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a large body: it no longer counts. */
    leaveBodyTurn: (() => void) | null;
  }
}

type Read = (bytes: Buffer, request: FastifyRequest) => unknown;

/** JSON bodies become values before a handler sees them; every other media type is refused. */
export function parseJsonBodies(app: FastifyInstance, turns: BodyTurns): void {
  readBodies(app, turns, (bytes, request) => {
    const limits = request.jsonLimits ?? DEFAULT_JSON_LIMITS;
    if (bytes.length <= PIECE_BYTES) return parseJson(bytes, limits);
    return parseLargeJson(bytes, limits, { caller: callerOf(request) }).finally(() => giveBack(bytes));
  });
}

/** Bodies stay bytes, for handlers that word their own parse errors or take other types than JSON. */
export function keepBytes(
  app: FastifyInstance,
  turns: BodyTurns,
  { rawBody, mayBeEncoded }: Pick<AnyRoute, 'rawBody' | 'mayBeEncoded'>,
): void {
  const types = typeof rawBody === 'object' ? rawBody : [JSON_TYPE];
  readBodies(app, turns, (bytes) => bytes, types, mayBeEncoded);
}

function readBodies(
  app: FastifyInstance,
  turns: BodyTurns,
  read: Read,
  types: readonly string[] = [JSON_TYPE],
  mayBeEncoded = false,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...types], (request, _payload, done) => {
    const begin = () =>
      readWhole(request.raw, request.bodyBytesMax, (error, body) => {
        const refused = error ?? (mayBeEncoded ? null : refusedEncoding(request));
        if (refused) return done(refused);
        try {
          const value = body?.length ? read(body, request) : undefined;
          if (value instanceof Promise)
            value.then((parsed) => done(null, parsed), done).finally(() => leaveSoon(request));
          else {
            leaveSoon(request);
            done(null, value);
          }
        } catch (mistake) {
          done(mistake as Error);
        }
      });
    const bytes = Number(request.headers['content-length']);
    if (bytes > PIECE_BYTES && bytes <= request.bodyBytesMax) void enterTurn(turns, request, bytes).then(begin);
    else begin();
  });
}

async function enterTurn(turns: BodyTurns, request: FastifyRequest, bytes: number): Promise<void> {
  const caller = callerOf(request);
  await turns.enter(caller, bytes);
  const leave = () => {
    request.leaveBodyTurn = null;
    turns.leave(caller, bytes);
  };
  if (request.raw.destroyed) leave();
  else request.leaveBodyTurn = leave;
}

function leaveSoon(request: FastifyRequest): void {
  if (request.leaveBodyTurn) setTimeout(() => request.leaveBodyTurn?.(), HANDLED_MS).unref();
}

export function refusedEncoding({ headers }: FastifyRequest): ApiError | null {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return null;
  return requestErrors.unsupported_media_type('Send the body without a Content-Encoding.');
}
