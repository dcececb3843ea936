import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';
import type { Imported } from './import-object.ts';
import type { IndexDocument, IndexFile, LocalIndex } from './index-file.ts';
import { INDEXES_PATH, listIndexDocuments, listIndexes, readSummaries } from './remote-indexes.ts';

type Options = { dryRun: boolean; onProgress: (text: string) => void };
type Ingested = { results: { status: string; position: number; errors?: { message: string }[] }[] };

const CHARACTERS_PER_REQUEST = 1_000_000;
const DOCUMENTS_PER_REQUEST = 100;

/** Creates search indexes that are missing, by name, and ingests documents that are missing or differ. Deletes nothing. */
export async function importIndexes(
  api: ApiClient,
  locals: readonly LocalIndex[],
  options: Options,
): Promise<{ imported: Imported[]; failures: string[] }> {
  const imported: Imported[] = [];
  const failures: string[] = [];
  const remotes = locals.length > 0 ? await listIndexes(api) : [];
  for (const local of locals) {
    const remote = remotes.find(({ name }) => name === local.file.name);
    try {
      imported.push(await importIndex(api, local, remote, options, failures));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      failures.push(`${local.source}: ${error.message}`);
    }
  }
  return { imported, failures };
}

async function importIndex(
  api: ApiClient,
  { source, file, documents }: LocalIndex,
  remote: IndexFile | undefined,
  options: Options,
  failures: string[],
): Promise<Imported> {
  const { name, config, schema, summaries = {} } = file;
  const path = `${INDEXES_PATH}/${name}`;
  if (remote && !isDeepStrictEqual(remote.config, config))
    throw new CommandFailure(`the index '${name}' of the server has another config, which cannot be changed.`);
  let isChanged = false;
  if (!remote && !options.dryRun) await api.send('POST', INDEXES_PATH, { name, config, schema });
  if (remote && !isDeepStrictEqual(remote.schema, schema)) {
    isChanged = true;
    if (!options.dryRun) await api.send('PUT', path, { schema });
  }
  const known = await digestsOf(remote ? listIndexDocuments(api, name) : noDocuments());
  let newDocuments = 0;
  for await (const batch of batchesOf(documents(), known)) {
    newDocuments += batch.length;
    options.onProgress(name);
    if (options.dryRun) continue;
    const { data } = await api.send<Ingested>('POST', `${path}/documents`, { documents: batch });
    for (const { status, position, errors } of data.results)
      if (status === 'rejected')
        failures.push(
          `${source}: document '${String(batch[position]?.id)}': ${errors?.map(({ message }) => message).join('; ')}`,
        );
  }
  const before = remote ? await readSummaries(api, name) : {};
  for (const [language, summary] of Object.entries(summaries)) {
    if (isDeepStrictEqual(before[language], summary)) continue;
    isChanged = true;
    if (!options.dryRun) await api.send('PUT', `${path}/summary_field/${language}`, summary);
  }
  isChanged ||= newDocuments > 0;
  const outcome = remote ? (isChanged ? 'updated' : 'unchanged') : 'created';
  return { noun: 'search index', name, sharing: 'workspace', outcome, newVersions: 0, newDocuments, warnings: [] };
}

async function* noDocuments(): AsyncGenerator<IndexDocument> {}

/** What the server has, by id: an index may hold more than memory should. */
async function digestsOf(documents: AsyncIterable<IndexDocument>): Promise<Map<unknown, string>> {
  const digests = new Map<unknown, string>();
  for await (const document of documents) digests.set(document.id, digestOf(document));
  return digests;
}

function digestOf(document: IndexDocument): string {
  return createHash('sha256').update(JSON.stringify(document, toComparable)).digest('base64');
}

/** Databases order the names of an object in their own ways, and vectors are rounded when they are stored. */
function toComparable(key: string, value: unknown): unknown {
  if (key === 'embedding' && Array.isArray(value)) return value.map((number) => Math.round(Number(number) * 100));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function* batchesOf(
  documents: AsyncIterable<IndexDocument>,
  known: ReadonlyMap<unknown, string>,
): AsyncGenerator<IndexDocument[]> {
  let batch: IndexDocument[] = [];
  let characters = 0;
  for await (const document of documents) {
    if (known.get(document.id) === digestOf(document)) continue;
    batch.push(document);
    characters += JSON.stringify(document).length;
    if (batch.length < DOCUMENTS_PER_REQUEST && characters < CHARACTERS_PER_REQUEST) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
