import { formOf, type Question } from '../serve/ask.ts';
import { bodies, queries } from './bodies.ts';
import { idFields, type Kind } from './id-fields.ts';
import type { Operation, Schema } from './operations.ts';
import type { Place } from './places.ts';
import { put, sampleOf } from './sample.ts';
import type { World } from './worlds.ts';

type Resolve = (schema: Schema) => Schema;

/** The headers that authenticate a world for an operation. */
export function credentialsFor({ route }: Operation, world: World): Record<string, string> | undefined {
  switch (route.permission === 'public' ? 'public' : (route.surface ?? 'standard')) {
    case 'public':
      return {};
    case 'standard':
      return { authorization: `Bearer ${world.key}` };
    case 'admin':
      return world.adminKey === undefined ? undefined : { 'x-api-key': world.adminKey };
    case 'console':
      return world.browser;
    default:
      return undefined;
  }
}

/** The request that names `id` at a place and otherwise only the asker's own objects. */
export function questionOf(
  operation: Operation,
  resolve: Resolve,
  own: World,
  headers: Record<string, string>,
  named?: { place: Place; id: string | number },
): Question {
  const { route } = operation;
  const at = named?.place;
  const path = route.path.replaceAll(/:([a-z_]+)/gi, (_, name: string) => {
    const isNamed = at?.where === 'path' && at.way[0] === name;
    return encodeURIComponent(isNamed ? (named?.id ?? '') : pathPart(operation, name, own, at?.kind));
  });
  const query = new URLSearchParams();
  for (const { name, in: where, required, schema } of operation.parameters)
    if (where === 'query' && required) query.set(name, String(sampleOf(schema, resolve, [], name)));
  for (const [name, value] of Object.entries(queries[operation.id]?.(own) ?? {})) query.set(name, value);
  if (at?.where === 'query') query.set(at.way[0] ?? '', String(named?.id ?? ''));
  const search = query.size > 0 ? `?${query}` : '';
  const question = { method: route.method, path: `${path}${search}`, headers };
  if (operation.isUpload) {
    const form = formOf('x', operation.id.startsWith('libraries_') ? {} : { purpose: 'batch' });
    return { ...question, headers: { ...headers, ...form.headers }, body: form.body };
  }
  return operation.body ? { ...question, body: bodyOf(operation, resolve, own, named) } : question;
}

function bodyOf(
  operation: Operation,
  resolve: Resolve,
  own: World,
  named?: { place: Place; id: string | number },
): unknown {
  const at = named?.place.where === 'body' ? named.place : undefined;
  const sampled = sampleOf(operation.body ?? {}, resolve, at?.way);
  const special = bodies[operation.id]?.(own, at);
  const body =
    special === undefined ? sampled : Array.isArray(special) ? special : { ...(sampled as object), ...special };
  for (const key of Object.keys(special ?? {}))
    if ((special as Record<string, unknown>)[key] === undefined) delete (body as Record<string, unknown>)[key];
  return at ? put(body, at.way, named?.id) : body;
}

/** A path parameter other than the tested one. */
function pathPart({ route }: Operation, name: string, own: World, kind: Kind | undefined): string {
  if (name === 'version') return '1';
  if (name === 'language') return 'en';
  // The scope of a limit says what kind of id follows.
  if (name === 'scope') return kind === 'key' || kind === 'organization' ? kind : 'workspace';
  const wanted = [idFields[`path:${name}`] ?? []].flat();
  const fitting = route.path.includes('admin-keys') ? wanted.at(-1) : wanted[0];
  return (fitting && own.ids[fitting]) ?? 'x';
}
