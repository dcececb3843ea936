import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ownTurn } from '../base/own-turn.ts';
import type { ApiError } from './errors.ts';
import { DEFAULT_JSON_LIMITS, parseJson } from './json-body.ts';
import { readWhole } from './read-whole.ts';
import { requestErrors } from './request-errors.ts';

/** Parsing less takes a millisecond or two. */
const LARGE_BYTES = 256 * 1024;

/** JSON bodies become values before a handler sees them; every other media type is refused. */
export function parseJsonBodies(app: FastifyInstance): void {
  readBodies(app, (bytes, { jsonLimits }) => parseJson(bytes, jsonLimits ?? DEFAULT_JSON_LIMITS));
}

/** JSON bodies stay bytes, for handlers that word their own parse errors. */
export function keepBytes(app: FastifyInstance): void {
  readBodies(app, (bytes) => bytes);
}

function readBodies(app: FastifyInstance, read: (bytes: Buffer, request: FastifyRequest) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, _payload, done) =>
    readWhole(request.raw, request.bodyBytesMax, (error, body) => {
      const refused = error ?? refusedEncoding(request);
      if (refused) return done(refused);
      const finish = () => {
        let value: unknown;
        try {
          value = body?.length ? read(body, request) : undefined;
        } catch (mistake) {
          return done(mistake as Error);
        }
        done(null, value);
      };
      // Several large bodies that arrive together must not be parsed in one go.
      if (body && body.length > LARGE_BYTES) void ownTurn().then(finish);
      else finish();
    }),
  );
}

export function refusedEncoding({ headers }: FastifyRequest): ApiError | null {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return null;
  return requestErrors.unsupported_media_type('Send the body without a Content-Encoding.');
}
