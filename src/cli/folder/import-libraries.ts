import { isDeepStrictEqual } from 'node:util';
import { CommandFailure } from '../../operator/command-failure.ts';
import { listDocuments, uploadDocument } from '../library/documents.ts';
import type { ApiClient } from '../shell/api-client.ts';
import type { Imported } from './import-object.ts';
import type { LocalLibrary } from './library-file.ts';
import { listOwnLibraries, type RemoteDocument, type RemoteLibrary } from './remote-libraries.ts';

type Options = { dryRun: boolean; onProgress: (text: string) => void };
type Documents = LocalLibrary['documents'];

/** Creates or updates libraries, matched by name, and adds documents whose content they lack. Deletes nothing. */
export async function importLibraries(
  api: ApiClient,
  locals: readonly LocalLibrary[],
  options: Options,
): Promise<{ imported: Imported[]; failures: string[] }> {
  const imported: Imported[] = [];
  const failures: string[] = [];
  const unused = locals.length > 0 ? await listOwnLibraries(api) : [];
  for (const local of locals) {
    const at = unused.findIndex(({ name, sharing }) => name === local.file.name && sharing === local.sharing);
    const remote = at < 0 ? undefined : unused.splice(at, 1)[0];
    try {
      imported.push(await importLibrary(api, local, remote, options, failures));
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      failures.push(`${local.source}: ${error.message}`);
    }
  }
  return { imported, failures };
}

async function importLibrary(
  api: ApiClient,
  local: LocalLibrary,
  remote: RemoteLibrary | undefined,
  options: Options,
  failures: string[],
): Promise<Imported> {
  const { name, description, chunk_size } = local.file;
  const warnings: string[] = [];
  let id = remote?.id;
  let isChanged = false;
  if (remote && description !== undefined && description !== remote.description) {
    isChanged = true;
    if (!options.dryRun) await api.send('PATCH', `/v1/libraries/${remote.id}`, { description });
  }
  if (remote && (chunk_size ?? null) !== remote.chunk_size)
    warnings.push(`${local.source}: the library keeps its chunk_size; it is set when a library is created`);
  if (!remote && !options.dryRun) {
    const owner_type = local.sharing === 'private' ? 'User' : 'Workspace';
    const body = { name, owner_type, ...(description && { description }), ...(chunk_size && { chunk_size }) };
    id = (await api.send<{ id: string }>('POST', '/v1/libraries', body)).data.id;
  }
  const known = remote ? ((await listDocuments(api, remote.id)) as RemoteDocument[]) : [];
  const documents = await importDocuments(api, id, local.documents, known, options, failures);
  isChanged ||= documents.added + documents.updated > 0;
  const outcome = remote ? (isChanged ? 'updated' : 'unchanged') : 'created';
  const { sharing } = local;
  return { noun: 'library', name, sharing, outcome, newVersions: 0, newDocuments: documents.added, warnings };
}

/** One document that the server refuses does not keep the others from being added. */
async function importDocuments(
  api: ApiClient,
  libraryId: string | undefined,
  documents: Documents,
  known: RemoteDocument[],
  { dryRun, onProgress }: Options,
  failures: string[],
): Promise<{ added: number; updated: number }> {
  let added = 0;
  let updated = 0;
  for (const local of documents) {
    onProgress(local.name);
    let remote = known.find(({ hash }) => hash === local.sha256);
    try {
      if (!remote) {
        added++;
        if (dryRun || libraryId === undefined) continue;
        remote = (await uploadDocument(api, libraryId, local.path, local)).document as RemoteDocument;
      } else if (isSame(local, remote)) continue;
      else updated++;
      if (dryRun || isSame(local, remote)) continue;
      const { name, attributes = {}, expires_at = null } = local;
      await api.send('PATCH', `/v1/libraries/${libraryId}/documents/${remote.id}`, { name, attributes, expires_at });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      failures.push(`${local.path}: ${error.message}`);
    }
  }
  return { added, updated };
}

function isSame(local: Documents[number], { name, attributes, expires_at }: RemoteDocument): boolean {
  return (
    local.name === name &&
    isDeepStrictEqual(local.attributes ?? {}, attributes ?? {}) &&
    Object.is(Date.parse(local.expires_at ?? ''), Date.parse(expires_at ?? ''))
  );
}
