import type { NewChunk } from './schema/chunk.ts';
import type { FieldError, Fields, FieldType, ManagedIndexConfig, ManagedIndexFields } from './schema/indexes.ts';
import { splitContent } from './split-content.ts';

export type IndexDocument = { id: string; title: string; attributes: Record<string, unknown>; chunks: NewChunk[] };
export type ReadDocument = { document: IndexDocument } | { errors: FieldError[] };

/** Where a chunk keeps what is not a field of the schema. */
export const CHUNK_DETAILS = '$chunk';
export type ChunkDetails = {
  chunk_type: string;
  locator: string;
  parent_ref: string | null;
  metadata: Record<string, unknown>;
};

const ID_CHARACTERS_MAX = 512;
const CHUNKS_MAX = 10_000;
const CONTENT_CHARACTERS_MAX = 1_000_000;
const DOCUMENT_NAMES = new Set(['id', 'title', 'content', 'chunks', 'metadata', 'embedding']);
const CHUNK_NAMES = new Set([
  ...['content', 'chunk_type', 'locator', 'start_offset', 'end_offset', 'parent_ref', 'metadata', 'embedding'],
]);

type Place = (string | number)[];

/** A document as it was sent, checked against the schema of its index. */
export function readIndexDocument(
  sent: Record<string, unknown>,
  { schema, config }: { schema: ManagedIndexFields; config: ManagedIndexConfig },
  newId: () => string,
): ReadDocument {
  const errors: FieldError[] = [];
  const refuse = (location: Place, type: string, message: string) => void errors.push({ location, type, message });
  const text = (value: unknown, location: Place, most: number): string => {
    if (typeof value === 'string' && value.length <= most) return value;
    refuse(location, 'string_type', `this must be a text of at most ${most} characters`);
    return '';
  };
  const id = sent.id === undefined ? newId() : text(sent.id, ['id'], ID_CHARACTERS_MAX);
  if (id === '') refuse(['id'], 'string_too_short', 'an id has at least one character');
  const attributes = readFields(sent, schema.document_fields, DOCUMENT_NAMES, [], refuse);
  const metadata = readObject(sent.metadata, ['metadata'], refuse);
  const expected = config.embedding.type === 'custom' ? config.embedding.dimensions : null;
  const chunks = readChunks();
  if (errors.length > 0) return { errors };
  const title = sent.title === undefined ? '' : text(sent.title, ['title'], ID_CHARACTERS_MAX);
  if (errors.length > 0) return { errors };
  return { document: { id, title, attributes: { ...attributes, ...(metadata && { metadata }) }, chunks } };

  function readChunks(): NewChunk[] {
    if (Array.isArray(sent.chunks)) {
      if (sent.chunks.length > CHUNKS_MAX)
        refuse(['chunks'], 'too_long', `a document may have at most ${CHUNKS_MAX} chunks`);
      else return sent.chunks.map((chunk, i) => readChunk(chunk, i));
    } else if (sent.chunks !== undefined) refuse(['chunks'], 'list_type', 'this must be a list of chunks');
    else if (sent.content === undefined) refuse(['content'], 'missing', 'a document needs content or chunks');
    else return splitDocument(text(sent.content, ['content'], CONTENT_CHARACTERS_MAX));
    return [];
  }

  function splitDocument(content: string): NewChunk[] {
    const passages = expected === null ? splitContent(content) : [{ text: content, start: 0, end: content.length }];
    const vector = readVector(sent.embedding, ['embedding']);
    return passages.map(({ text: passage, start, end }, position) => ({
      ...emptyChunk(position, passage),
      start_offset: start,
      end_offset: end,
      fields: { [CHUNK_DETAILS]: detailsOf(start, end) },
      ...(vector && { vector }),
    }));
  }

  function readChunk(value: unknown, position: number): NewChunk {
    const place: Place = ['chunks', position];
    const chunk = readObject(value, place, refuse) ?? {};
    const content = text(chunk.content, [...place, 'content'], CONTENT_CHARACTERS_MAX);
    const start_offset = readOffset(chunk.start_offset, [...place, 'start_offset']);
    const end_offset = readOffset(chunk.end_offset, [...place, 'end_offset']);
    const details: ChunkDetails = { ...detailsOf(start_offset, end_offset) };
    if (chunk.chunk_type !== undefined) details.chunk_type = text(chunk.chunk_type, [...place, 'chunk_type'], 64);
    if (chunk.locator !== undefined) details.locator = text(chunk.locator, [...place, 'locator'], 1024);
    if (chunk.parent_ref !== undefined && chunk.parent_ref !== null)
      details.parent_ref = text(chunk.parent_ref, [...place, 'parent_ref'], 1024);
    details.metadata = readObject(chunk.metadata, [...place, 'metadata'], refuse) ?? {};
    const fields = readFields(chunk, schema.chunk_fields, CHUNK_NAMES, place, refuse);
    const vector = readVector(chunk.embedding, [...place, 'embedding']);
    return {
      ...emptyChunk(position, content),
      start_offset,
      end_offset,
      fields: { ...fields, [CHUNK_DETAILS]: details },
      ...(vector && { vector }),
    };
  }

  function readOffset(value: unknown, location: Place): number | null {
    if (value === undefined || value === null) return null;
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    refuse(location, 'int_type', 'this must be a whole number from 0');
    return null;
  }

  function readVector(value: unknown, location: Place): number[] | undefined {
    if (expected === null) {
      if (value !== undefined) refuse(location, 'extra_forbidden', 'this index makes its vectors itself');
      return undefined;
    }
    if (Array.isArray(value) && value.length === expected && value.every((number) => Number.isFinite(number)))
      return value as number[];
    refuse(location, 'list_type', `this index needs a vector of ${expected} numbers here`);
    return undefined;
  }
}

type Refuse = (location: Place, type: string, message: string) => void;

function readObject(value: unknown, location: Place, refuse: Refuse): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  refuse(location, 'dict_type', 'this must be an object');
  return undefined;
}

function readFields(
  sent: Record<string, unknown>,
  fields: Fields,
  known: ReadonlySet<string>,
  place: Place,
  refuse: Refuse,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(sent)) {
    if (!known.has(name) && !Object.hasOwn(fields, name))
      refuse([...place, name], 'extra_forbidden', 'the schema of the index has no such field');
  }
  for (const [name, { type, required, default: standard }] of Object.entries(fields)) {
    const value = sent[name] ?? standard;
    if (value === undefined || value === null) {
      if (required) refuse([...place, name], 'missing', 'this field is required');
    } else if (isOf(type, value)) read[name] = value;
    else refuse([...place, name], `${type}_type`, `this must be of type ${type}`);
  }
  return read;
}

const LONG_MAX = Number.MAX_SAFE_INTEGER;
const INT_MAX = 2_147_483_647;
const checks: Record<string, (value: unknown) => boolean> = {
  bool: (value) => typeof value === 'boolean',
  int: (value) => Number.isInteger(value) && Math.abs(value as number) <= INT_MAX,
  long: (value) => Number.isInteger(value) && Math.abs(value as number) <= LONG_MAX,
  float: (value) => Number.isFinite(value),
  keyword: (value) => typeof value === 'string',
  text: (value) => typeof value === 'string',
  timestamp: (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value))) || Number.isFinite(value),
};

function isOf(type: FieldType, value: unknown): boolean {
  if (type === 'json') return true;
  if (type === 'dense_vector') return Array.isArray(value) && value.every((number) => Number.isFinite(number));
  if (type.endsWith('[]')) return Array.isArray(value) && value.every((item) => checks[type.slice(0, -2)]?.(item));
  return checks[type]?.(value) ?? false;
}

const emptyChunk = (position: number, text: string): NewChunk => ({
  position,
  text,
  kind: 'text',
  headings: [],
  page: null,
  boxes: [],
  parent: null,
});

const detailsOf = (start: number | null, end: number | null): ChunkDetails => ({
  chunk_type: 'content',
  locator: start === null ? '' : `chars:${start}-${end ?? ''}`,
  parent_ref: null,
  metadata: {},
});
