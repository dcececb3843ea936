import { idFields, type Kind, looksLikeId, plainFields } from './id-fields.ts';
import type { Operation, Schema } from './operations.ts';
import { listPaths, type Path } from './sample.ts';

/** Where an operation accepts an id, and of which kind. */
export type Place = { operation: Operation; where: 'path' | 'query' | 'body'; way: Path; kind: Kind };

/** All places of an operation, and the fields that are in no list yet. */
export function placesOf(operation: Operation, resolve: (schema: Schema) => Schema) {
  const places: Place[] = [];
  const unknown: string[] = [];
  const add = (where: Place['where'], way: Path) => {
    const field = `${where}:${way.filter((part) => part !== '[]').at(-1)}`;
    const given = idFields[field];
    if (!given && !plainFields[field]) unknown.push(`${operation.id} ${where}:${way.join('.')}`);
    for (const kind of [given ?? []].flat()) if (fits(operation, kind)) places.push({ operation, where, way, kind });
  };
  for (const { name, in: where } of operation.parameters) {
    // A path parameter always names something.
    if (where === 'path') add('path', [name]);
    else if (where === 'query' && (looksLikeId(name) || idFields[`query:${name}`])) add('query', [name]);
  }
  for (const way of operation.body ? listPaths(operation.body, resolve) : []) {
    const name = way.at(-1) ?? '';
    if (looksLikeId(name) || idFields[`body:${name}`]) add('body', way);
  }
  return { places, unknown };
}

export function describePlace({ operation, where, way, kind }: Place): string {
  return `${operation.id} ${where} ${way.join('.')} (${kind})`;
}

/** Admin keys have routes of their own, which accept no other key. */
function fits({ route }: Operation, kind: Kind): boolean {
  const isOfAdminKeys = route.path.includes('admin-keys');
  return kind === 'adminKey' ? isOfAdminKeys : kind === 'key' ? !isOfAdminKeys : true;
}
