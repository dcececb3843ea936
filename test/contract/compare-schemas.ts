import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument, Schema, SchemaOrBoolean, Scope } from './json-schema.ts';
import { limitsOf } from './limits-of.ts';
import { type Alternative, shapeOf } from './normalise-schema.ts';
import { labelsOf, pairAlternatives } from './pair-alternatives.ts';

export type DifferenceKind =
  | 'missing-property'
  | 'added-property'
  | 'missing-alternative'
  | 'added-alternative'
  | 'type'
  | 'nullable'
  | 'required'
  | 'default'
  | 'limit'
  | 'enum'
  /** We refuse unknown properties where the twin leaves it open. */
  | 'closed-here'
  | 'openness'
  | 'operation-id'
  | 'missing-parameter'
  | 'added-parameter'
  | 'status'
  | 'content-type';

export interface Difference {
  at: string;
  kind: DifferenceKind;
  ours: unknown;
  theirs: unknown;
}

export interface Placed {
  schema: SchemaOrBoolean;
  scope: Scope;
}

/** Compares every component of ours with the component of the same name in the other document. */
export function compareComponents(ours: OpenApiDocument, theirs: OpenApiDocument): Difference[] {
  return sharedComponents(ours, theirs).flatMap((name) => {
    const [mine, twin] = [ours.components?.schemas?.[name] ?? {}, theirs.components?.schemas?.[name] ?? {}];
    return compareSchemas(place(mine, ours), place(twin, theirs), name);
  });
}

export function sharedComponents(ours: OpenApiDocument, theirs: OpenApiDocument): string[] {
  return Object.keys(ours.components?.schemas ?? {}).filter((name) => theirs.components?.schemas?.[name]);
}

export function place(schema: SchemaOrBoolean, document: OpenApiDocument): Placed {
  return { schema, scope: { document, defs: {} } };
}

/** `open` holds the pairs that are being compared further up: a recursive schema refers back to itself. */
export function compareSchemas(ours: Placed, theirs: Placed, at: string, open: Placed[][] = []): Difference[] {
  const comesBack = ([mine, twin]: Placed[]) => mine?.schema === ours.schema && twin?.schema === theirs.schema;
  if (open.some(comesBack)) return [];
  const path = [...open, [ours, theirs]];
  const mine = shapeOf(ours.schema, ours.scope);
  const twin = shapeOf(theirs.schema, theirs.scope);
  const compare = (one: Alternative, other: Alternative, place: string) => compareAlternatives(one, other, place, path);
  const { pairs, missing, added } = pairAlternatives(mine.alternatives, twin.alternatives, (one, other) =>
    compare(one, other, at),
  );
  const labels = labelsOf(twin.alternatives);
  const isUnion = mine.alternatives.length > 1 || twin.alternatives.length > 1;
  const differences = pairs.flatMap(([one, other]) =>
    compare(one, other, isUnion ? `${at}(${labels.get(other)})` : at),
  );
  if (mine.nullable !== twin.nullable && ![...mine.alternatives, ...twin.alternatives].some(isAnything)) {
    differences.push({ at, kind: 'nullable', ours: mine.nullable, theirs: twin.nullable });
  }
  if (!isDeepStrictEqual(mine.default, twin.default)) {
    differences.push({ at, kind: 'default', ours: mine.default, theirs: twin.default });
  }
  if (missing.length === 1 && added.length === 1 && pairs.length === 0) {
    differences.push({ at, kind: 'type', ours: added[0]?.type, theirs: missing[0]?.type });
    return differences;
  }
  for (const other of missing) {
    const place = `${at}(${labels.get(other)})`;
    differences.push({ at: place, kind: 'missing-alternative', ours: undefined, theirs: other.type });
  }
  const addedLabels = labelsOf(added);
  for (const one of added) {
    const place = `${at}(${addedLabels.get(one)})`;
    differences.push({ at: place, kind: 'added-alternative', ours: one.type, theirs: undefined });
  }
  return differences;
}

function isAnything({ type }: Alternative): boolean {
  return type === 'any';
}

function compareAlternatives(ours: Alternative, theirs: Alternative, at: string, open: Placed[][]): Difference[] {
  // Components of one name are compared separately; here they would be reported once for each use.
  if (ours.component !== undefined && ours.component === theirs.component) return [];
  const differences: Difference[] = [];
  if (!isSameSet(ours.schema.enum, theirs.schema.enum)) {
    differences.push({ at, kind: 'enum', ours: ours.schema.enum, theirs: theirs.schema.enum });
  }
  const [mine, twin] = [limitsOf(ours), limitsOf(theirs)];
  for (const key of new Set([...Object.keys(mine), ...Object.keys(twin)])) {
    if (mine[key] === twin[key]) continue;
    differences.push({ at: `${at}:${key}`, kind: 'limit', ours: mine[key], theirs: twin[key] });
  }
  if (theirs.type === 'object') differences.push(...compareObjects(ours, theirs, at, open));
  if (theirs.type === 'array') differences.push(...compareArrays(ours, theirs, at, open));
  return differences;
}

function isSameSet(ours: unknown[] | undefined, theirs: unknown[] | undefined): boolean {
  if (!ours || !theirs) return ours === theirs;
  return isDeepStrictEqual(new Set(ours), new Set(theirs));
}

function compareArrays(ours: Alternative, theirs: Alternative, at: string, open: Placed[][]): Difference[] {
  const inner = (schema: SchemaOrBoolean | undefined, { scope }: Alternative) => ({ schema: schema ?? true, scope });
  const [mine, twin] = [ours.schema.prefixItems ?? [], theirs.schema.prefixItems ?? []];
  if (mine.length !== twin.length) return [{ at, kind: 'type', ours: mine.length, theirs: twin.length }];
  const differences = twin.flatMap((schema, index) =>
    compareSchemas(inner(mine[index], ours), inner(schema, theirs), `${at}[${index}]`, open),
  );
  // A tuple of fixed length is described by its members; further items cannot occur.
  if (twin.length > 0) return differences;
  return compareSchemas(inner(ours.schema.items, ours), inner(theirs.schema.items, theirs), `${at}[]`, open);
}

function compareObjects(ours: Alternative, theirs: Alternative, at: string, open: Placed[][]): Difference[] {
  const [mine, twin] = [ours.schema.properties ?? {}, theirs.schema.properties ?? {}];
  const differences: Difference[] = [];
  for (const name of new Set([...Object.keys(twin), ...Object.keys(mine)])) {
    const [own, other, inside] = [mine[name], twin[name], `${at}.${name}`];
    if (own === undefined || other === undefined) {
      const kind = own === undefined ? 'missing-property' : 'added-property';
      differences.push({ at: inside, kind, ours: own, theirs: other });
      continue;
    }
    const [needed, neededThere] = [isRequired(ours, name), isRequired(theirs, name)];
    if (needed !== neededThere) {
      differences.push({ at: inside, kind: 'required', ours: needed, theirs: neededThere });
    }
    differences.push(
      ...compareSchemas({ schema: own, scope: ours.scope }, { schema: other, scope: theirs.scope }, inside, open),
    );
  }
  return [...differences, ...compareOpenness(ours, theirs, at, open)];
}

function isRequired({ schema }: Alternative, name: string): boolean {
  return schema.required?.includes(name) ?? false;
}

function compareOpenness(ours: Alternative, theirs: Alternative, at: string, open: Placed[][]): Difference[] {
  const [mine, twin] = [opennessOf(ours.schema), opennessOf(theirs.schema)];
  if (mine === 'map' && twin === 'map') {
    const value = ({ schema, scope }: Alternative) => ({ schema: schema.additionalProperties ?? true, scope });
    return compareSchemas(value(ours), value(theirs), `${at}{}`, open);
  }
  if (mine === twin || (isOpen(mine) && isOpen(twin))) return [];
  const kind = mine === 'closed' && twin === 'unspecified' ? 'closed-here' : 'openness';
  return [{ at, kind, ours: mine, theirs: twin }];
}

function opennessOf(schema: Schema): 'closed' | 'open' | 'unspecified' | 'map' {
  const { additionalProperties, properties } = schema;
  if (additionalProperties === false) return 'closed';
  // An object without any named property must be a free-form object.
  if (additionalProperties === undefined) return properties ? 'unspecified' : 'open';
  if (additionalProperties === true || Object.keys(additionalProperties).length === 0) return 'open';
  return 'map';
}

function isOpen(openness: string): boolean {
  return openness === 'open' || openness === 'unspecified';
}
