import { mkdir, open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../../operator/command-failure.ts';
import { listDocuments } from '../library/documents.ts';
import type { ApiClient } from '../shell/api-client.ts';
import type { Sharing } from './kind.ts';
import { createLabels } from './label-objects.ts';
import { DOCUMENTS_FOLDER, LIBRARY_FILE, type LibraryDocument, libraryFileText } from './library-file.ts';
import { listOwnLibraries, type RemoteDocument, type RemoteLibrary } from './remote-libraries.ts';
import { writeFiles } from './safe-files.ts';
import { textFile } from './text-file.ts';

export type ExportedLibrary = { name: string; sharing: Sharing; documents: number };

/**
 * Writes each library with the originals of its documents. Archives and sites are left out: what they were made of is there.
 * Passages and vectors are too: whoever imports a document reads it again.
 */
export async function exportLibraries(
  api: ApiClient,
  rootOf: (sharing: Sharing) => string,
  onProgress: (name: string) => void,
): Promise<ExportedLibrary[]> {
  const labels = { workspace: createLabels(), private: createLabels() };
  const exported: ExportedLibrary[] = [];
  for (const library of await listOwnLibraries(api)) {
    const { name, sharing } = library;
    const folder = join(rootOf(sharing), labels[sharing](fileNameOf(name, 'library')));
    const documents = await exportDocuments(api, library, folder, onProgress);
    const { description, chunk_size } = library;
    const text = libraryFileText({
      name,
      ...(description && { description }),
      ...(chunk_size !== null && { chunk_size }),
      documents,
    });
    await writeFiles(folder, new Map([[LIBRARY_FILE, textFile(text)]]));
    exported.push({ name, sharing, documents: documents.length });
  }
  return exported;
}

async function exportDocuments(
  api: ApiClient,
  { id }: RemoteLibrary,
  folder: string,
  onProgress: (name: string) => void,
): Promise<LibraryDocument[]> {
  const labelFor = createLabels();
  const written: LibraryDocument[] = [];
  const listed = (await listDocuments(api, id)) as RemoteDocument[];
  // By their content where names are the same, so that a later export is the same.
  const sorted = listed.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const document of sorted) {
    if (document.hash === null || document.process_status === 'noop') continue;
    onProgress(document.name);
    const ending = extname(document.name).replace(/[^\p{L}\p{N}.]/gu, '');
    const file = `${labelFor(fileNameOf(document.name.slice(0, document.name.length - ending.length), 'document'))}${ending}`;
    const link = await api.get<string>(`/v1/libraries/${id}/documents/${document.id}/signed-url`);
    await download(link, join(folder, DOCUMENTS_FOLDER), file);
    const { name, mime_type, attributes, expires_at } = document;
    written.push({
      file,
      name,
      ...(mime_type !== null && { mime_type }),
      ...(attributes && Object.keys(attributes).length > 0 && { attributes }),
      ...(expires_at && { expires_at }),
    });
  }
  return written;
}

const keyOf = ({ name, hash }: RemoteDocument) => JSON.stringify([name, hash]);

/** Streamed: a document may be larger than memory should hold. */
async function download(link: string, folder: string, name: string): Promise<void> {
  const response = await fetch(link);
  if (!response.ok || !response.body)
    throw new CommandFailure(`${name}: its content could not be read (${response.status}).`);
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, name), 'wx', 0o644);
  await pipeline(Readable.fromWeb(response.body as never), file.createWriteStream());
}

/** A valid file name; the name inside the file is the one that counts. */
export function fileNameOf(name: string, otherwise: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 80) || otherwise
  );
}
