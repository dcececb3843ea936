import { z } from 'zod';
import { type AnyRoute, route } from '../kit/http/index.ts';
import {
  type CreateObject,
  type CreateVersion,
  type ObjectSchemas,
  type SelectorParameters,
  type UpdateObject,
  UpdateVersionRequest,
  VersionNumber,
} from './schema.ts';
import type { ObjectService } from './service/object-service.ts';
import { replyWithPage, sendWithHeaders } from './write-reply.ts';

/** The endpoints `/v2/<noun>s` that every room with versioned objects has. */
export function objectRoutes<G, W>(
  objects: ObjectService<G, W>,
  schemas: Omit<ObjectSchemas, 'object' | 'list' | 'versions' | 'query' | 'create' | 'createVersion' | 'update'> & {
    object: z.ZodType<unknown, W>;
    list: z.ZodType;
    versions: z.ZodType;
    query: z.ZodType<SelectorParameters>;
    create: z.ZodType<CreateObject<G>>;
    createVersion: z.ZodType<CreateVersion<G>>;
    update: z.ZodType<UpdateObject>;
  },
  room: {
    noun: string;
    /** Which fields an update changes. */
    updates: string;
    /** Ends the summary of lists. */
    listed?: string;
    /** For requests with a definition. */
    bodyBytesMax?: number;
  },
): AnyRoute[] {
  const { noun, updates, listed = '' } = room;
  const plural = `${noun}s`;
  const tags = [`beta.${plural}`];
  const read = { tags, permission: `${plural}:read` };
  const write = { tags, permission: `${plural}:write` };
  const define = {
    ...write,
    method: 'POST' as const,
    creates: true,
    ...(room.bodyBytesMax === undefined ? {} : { bodyBytesMax: room.bodyBytesMax }),
  };
  const all = `/v2/${plural}`;
  const one = `${all}/:${noun}_id`;
  const params = z.strictObject({ [`${noun}_id`]: z.string() });
  const versionParams = params.extend({ version: VersionNumber });
  // The name of the id is not known to the compiler, and with it the type of the other parameter is lost.
  const idOf = (given: Record<string, unknown>) => String(given[`${noun}_id`]);
  return [
    route({
      ...read,
      method: 'GET',
      path: all,
      operationId: `${plural}_list`,
      summary: `List the ${plural} that this key may see, each at its newest version or at the one an alias names${listed}`,
      query: schemas.listQuery,
      response: schemas.list,
      handler: async ({ scope, query }) => replyWithPage(await objects.list(scope, query)),
    }),
    route({
      ...define,
      path: all,
      operationId: `${plural}_create`,
      summary: `Create a ${noun}; its definition becomes version 1`,
      body: schemas.create,
      response: schemas.object,
      handler: async (context) => sendWithHeaders(context, await objects.create(context.scope, context.body)),
    }),
    route({
      ...read,
      method: 'GET',
      path: one,
      operationId: `${plural}_get`,
      summary: `Read a ${noun} by id or name: its newest version, or the one a number or an alias names`,
      params,
      query: schemas.query,
      response: schemas.object,
      handler: ({ scope, params, query }) => objects.get(scope, idOf(params), query),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: one,
      operationId: `${plural}_update`,
      summary: `Change ${updates}; creates no version`,
      params,
      body: schemas.update,
      response: schemas.object,
      alsoAnswers: [412],
      handler: ({ scope, params, body, ifMatch }) => objects.update(scope, idOf(params), body, ifMatch),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: one,
      operationId: `${plural}_delete`,
      summary: `Delete a ${noun} with all its versions`,
      params,
      response: schemas.deleted,
      alsoAnswers: [412],
      handler: ({ scope, params, ifMatch }) => objects.remove(scope, idOf(params), ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${one}/versions`,
      operationId: `${plural}_list_versions`,
      summary: `List all versions of a ${noun}, newest first${listed}`,
      params,
      response: schemas.versions,
      handler: ({ scope, params }) => objects.listVersions(scope, idOf(params)),
    }),
    route({
      ...define,
      path: `${one}/versions`,
      operationId: `${plural}_create_version`,
      summary: 'Create a version; a definition equal to an existing version keeps that number',
      params,
      body: schemas.createVersion,
      response: schemas.created,
      alsoAnswers: [412],
      handler: async (context) => {
        const { scope, params, body, ifMatch } = context;
        return sendWithHeaders(context, await objects.createVersion(scope, idOf(params), body, ifMatch));
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${one}/versions/:version`,
      operationId: `${plural}_get_version`,
      summary: `Read a ${noun} at one of its versions`,
      params: versionParams,
      query: schemas.versionQuery,
      response: schemas.object,
      handler: ({ scope, params, query: { fields } }) =>
        objects.get(scope, idOf(params), { version: Number(params.version), fields }),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: `${one}/versions/:version`,
      operationId: `${plural}_update_version_metadata`,
      summary: 'Change the notes or the aliases of a version; its definition stays',
      params: versionParams,
      body: UpdateVersionRequest,
      response: schemas.object,
      alsoAnswers: [412],
      handler: ({ scope, params, body, ifMatch }) =>
        objects.updateVersion(scope, idOf(params), Number(params.version), body, ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: `${one}/alias_moves`,
      operationId: `${plural}_list_alias_moves`,
      summary: `List how the aliases of a ${noun} moved, newest first; at most 1,000 moves. Not part of the published API`,
      params,
      response: schemas.aliasMoves,
      handler: ({ scope, params }) => objects.listAliasMoves(scope, idOf(params)),
    }),
  ];
}
