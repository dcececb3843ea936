import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusedEncoding } from './body-parsers.ts';
import { readWhole } from './read-whole.ts';
import { requestErrors } from './request-errors.ts';

const FIELDS_MAX = 256;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route whose file is optional: its fields may also come URL-encoded. These are lists. */
    formLists?: readonly string[];
  }
}

/** A form without a file: some clients send it URL-encoded where they would send a file as multipart. */
export function parseForms(app: FastifyInstance): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', (request: FastifyRequest, _payload, done) => {
    const { formLists } = request.routeOptions.config;
    if (!formLists) return done(requestErrors.unsupported_media_type('Send the body as application/json.'));
    readWhole(request.raw, request.bodyBytesMax, (error, body) => {
      const refused = error ?? refusedEncoding(request);
      if (refused) return done(refused);
      if (hasTooMany(body))
        return done(requestErrors.multipart_invalid(['body'], `The form has more than ${FIELDS_MAX} fields`, null));
      done(null, toFields(new URLSearchParams((body ?? '').toString()), formLists));
    });
  });
}

/** Counted before they are built: a field of one byte costs a hundred. */
function hasTooMany(body: Buffer | undefined): boolean {
  let fields = 1;
  for (let at = body?.indexOf('&') ?? -1; at >= 0 && fields <= FIELDS_MAX; at = body?.indexOf('&', at + 1) ?? -1)
    fields += 1;
  return fields > FIELDS_MAX;
}

function toFields(pairs: URLSearchParams, lists: readonly string[]): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const list = lists.find((field) => name === field || name === `${field}[]`);
    if (list === undefined) fields[name] = value;
    else fields[list] = [...(fields[list] ?? []), value];
  }
  return fields;
}
