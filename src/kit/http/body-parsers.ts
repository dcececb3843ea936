import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { parseJson } from './json-body.ts';

/** JSON bodies become values before a handler sees them; every other media type is refused. */
export function parseJsonBodies(app: FastifyInstance): void {
  readBodies(app, parseJson);
}

/** JSON bodies stay bytes, for handlers that answer a broken one in their own words. */
export function keepBytes(app: FastifyInstance): void {
  readBodies(app, (bytes) => bytes);
}

function readBodies(app: FastifyInstance, read: (bytes: Buffer) => unknown): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      const refused = refusedEncoding(request);
      if (refused) done(refused);
      else done(null, body.length === 0 ? undefined : read(body));
    } catch (error) {
      done(error as Error);
    }
  });
}

export function refusedEncoding({ headers }: FastifyRequest): ApiError | null {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return null;
  return new ApiError(415, 'Send the body without a Content-Encoding.');
}
