import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parse, stringify } from 'yaml';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { Sharing } from './kind.ts';
import { kindOfPath, readOneFile } from './safe-files.ts';

export const LIBRARIES_FOLDER = 'libraries';
export const LIBRARY_FILE = 'library.yaml';
export const DOCUMENTS_FOLDER = 'documents';

/** A document of a library: the file with its content, and what is known of it beside that. */
export type LibraryDocument = {
  file: string;
  name: string;
  mime_type?: string | undefined;
  attributes?: Record<string, unknown> | undefined;
  expires_at?: string | undefined;
};

export type LibraryFile = {
  name: string;
  description?: string | undefined;
  chunk_size?: number | undefined;
  documents: LibraryDocument[];
};

export type LocalLibrary = {
  source: string;
  sharing: Sharing;
  file: LibraryFile;
  /** With the digest of their content, by which a library knows it. */
  documents: (LibraryDocument & { path: string; sha256: string })[];
};

/** Names and attributes of many documents. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const LIBRARY_FIELDS = ['name', 'description', 'chunk_size', 'documents'];
const DOCUMENT_FIELDS = ['file', 'name', 'mime_type', 'attributes', 'expires_at'];

export const libraryFileText = (file: LibraryFile): string => stringify(file, { lineWidth: 0 });

/** Reads a library of an export: its file, and the digests of its documents. */
export async function readLibrary(folder: string, sharing: Sharing): Promise<LocalLibrary> {
  const source = join(folder, LIBRARY_FILE);
  const file: unknown = parse((await readOneFile(source, FILE_BYTES_MAX)).bytes.toString('utf8'));
  checkLibrary(file, source);
  const documents: LocalLibrary['documents'] = [];
  for (const document of file.documents) {
    const path = join(folder, DOCUMENTS_FOLDER, document.file);
    const found = await kindOfPath(path);
    if (found === 'link') throw new CommandFailure(`${path} is a symbolic link; replace it with the file itself.`);
    if (found !== 'file') throw new CommandFailure(`${source}: there is no file ${DOCUMENTS_FOLDER}/${document.file}.`);
    documents.push({ ...document, path, sha256: await hashFile(path) });
  }
  return { source, sharing, file, documents };
}

function checkLibrary(value: unknown, source: string): asserts value is LibraryFile {
  const refuse = (message: string) => {
    throw new CommandFailure(`${source}: ${message}`);
  };
  if (!isObject(value) || typeof value.name !== 'string' || !Array.isArray(value.documents))
    return refuse('a library needs at least a name and a list of documents.');
  checkFields(value, LIBRARY_FIELDS, refuse);
  for (const document of value.documents as unknown[]) {
    if (!isObject(document) || typeof document.file !== 'string' || typeof document.name !== 'string')
      return refuse('each document needs a file and a name, both strings.');
    if (/[/\\]|^\.{0,2}$/.test(document.file)) refuse(`'${document.file}' is not the name of a file.`);
    checkFields(document, DOCUMENT_FIELDS, refuse);
  }
}

function checkFields(value: object, known: string[], refuse: (message: string) => void): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) refuse(`unknown field '${unknown}'.`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
