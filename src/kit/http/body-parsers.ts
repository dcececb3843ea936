import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiError } from './errors.ts';
import { DEFAULT_JSON_LIMITS, parseJson } from './json-body.ts';
import { readWhole } from './read-whole.ts';
import { requestErrors } from './request-errors.ts';

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
      let value: unknown;
      try {
        value = body?.length ? read(body, request) : undefined;
      } catch (mistake) {
        return done(mistake as Error);
      }
      done(null, value);
    }),
  );
}

export function refusedEncoding({ headers }: FastifyRequest): ApiError | null {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return null;
  return requestErrors.unsupported_media_type('Send the body without a Content-Encoding.');
}
