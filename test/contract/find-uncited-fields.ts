import type { OpenApiDocument, SchemaOrBoolean } from './json-schema.ts';

type Citations = Record<string, string | Record<string, string>>;

const PREFIX = '#/components/schemas/';
const ANSWERS = '#/components/responses/';

/** Compares the fields of all schemas that these paths use with their assigned promises. */
export function findUncitedFields(
  document: OpenApiDocument,
  paths: RegExp,
  citations: Citations,
  ids: ReadonlySet<string>,
): { uncited: string[]; gone: string[]; unknownIds: string[] } {
  const fields = new Map(
    [...schemasOf(document, paths)].map((name) => [name, fieldsOf(document.components?.schemas?.[name])] as const),
  );
  const uncited: string[] = [];
  for (const [schema, names] of fields) {
    const cited = citations[schema];
    for (const name of names)
      if (!cited || (typeof cited === 'object' && !cited[name])) uncited.push(`${schema}.${name}`);
  }
  const gone = Object.entries(citations).flatMap(([schema, cited]) => {
    const names = fields.get(schema);
    if (!names?.length) return [schema];
    return typeof cited === 'string'
      ? []
      : Object.keys(cited).flatMap((name) => (names.includes(name) ? [] : [`${schema}.${name}`]));
  });
  const used = Object.values(citations).flatMap((cited) =>
    typeof cited === 'string' ? [cited] : Object.values(cited),
  );
  return { uncited, gone, unknownIds: [...new Set(used)].filter((id) => !ids.has(id)) };
}

function fieldsOf(schema: SchemaOrBoolean | undefined): string[] {
  return typeof schema === 'object' ? Object.keys(schema.properties ?? {}) : [];
}

/** The names of all components used by requests and responses of these paths. */
function schemasOf(document: OpenApiDocument, paths: RegExp): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && $ref.startsWith(PREFIX) && !found.has($ref.slice(PREFIX.length))) {
      found.add($ref.slice(PREFIX.length));
      visit(document.components?.schemas?.[$ref.slice(PREFIX.length)]);
    }
    if (typeof $ref === 'string' && $ref.startsWith(ANSWERS))
      visit(document.components?.responses?.[$ref.slice(ANSWERS.length)]);
    for (const part of Object.values(value)) visit(part);
  };
  for (const [path, item] of Object.entries(document.paths ?? {})) if (paths.test(path)) visit(item);
  return found;
}
