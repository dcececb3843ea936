import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse, stringify } from 'yaml';
import { CommandFailure } from '../../operator/command-failure.ts';
import { kindOfPath, readOneFile } from './safe-files.ts';

export const INDEXES_FOLDER = 'search-indexes';
const ENDING = '.yaml';
const DOCUMENTS_ENDING = '.jsonl';
const FIELDS = ['name', 'config', 'schema', 'summaries'];

export type IndexDocument = Record<string, unknown>;
export type IndexSummary = { content: string; status: string; translated: boolean };
export type IndexFile = {
  name: string;
  config: Record<string, unknown>;
  schema: Record<string, unknown>;
  /** By language. */
  summaries?: Record<string, IndexSummary> | undefined;
};
export type LocalIndex = {
  source: string;
  file: IndexFile;
  /** One at a time: an index may hold more than memory should. */
  documents(): AsyncGenerator<IndexDocument>;
};

export const indexFileText = (file: IndexFile): string => stringify(file, { lineWidth: 0 });
export const indexFileName = (label: string): string => `${label}${ENDING}`;
export const indexDocumentsName = (label: string): string => `${label}${DOCUMENTS_ENDING}`;

/** The label of a folder entry, if it is the file of a search index. */
export function indexLabelOf({ name, isFolder }: { name: string; isFolder: boolean }): string | undefined {
  return !isFolder && name.endsWith(ENDING) ? basename(name, ENDING) : undefined;
}

export async function readIndexFile(root: string, label: string): Promise<LocalIndex> {
  const source = join(root, indexFileName(label));
  const lines = join(root, indexDocumentsName(label));
  const file: unknown = parse((await readOneFile(source)).bytes.toString('utf8'));
  if (!isIndex(file)) throw new CommandFailure(`${source}: a search index needs a name, a config and a schema.`);
  const unknown = Object.keys(file).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw new CommandFailure(`${source}: unknown field '${unknown}'.`);
  if ((await kindOfPath(lines)) !== 'file') throw new CommandFailure(`${source}: there is no file ${basename(lines)}.`);
  return { source, file, documents: () => readLines(lines) };
}

function isIndex(value: unknown): value is IndexFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, config, schema } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof config === 'object' && typeof schema === 'object';
}

async function* readLines(path: string): AsyncGenerator<IndexDocument> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() !== '') yield parseLine(line, `${path}:${number}`);
  }
}

function parseLine(line: string, place: string): IndexDocument {
  try {
    return JSON.parse(line) as IndexDocument;
  } catch {
    throw new CommandFailure(`${place}: this line is not JSON.`);
  }
}
