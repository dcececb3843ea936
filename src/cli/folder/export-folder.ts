import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';
import { AGENTS_FOLDER } from './agent-file.ts';
import { exportAgents } from './export-agents.ts';
import { exportIndexes } from './export-indexes.ts';
import { exportLibraries } from './export-libraries.ts';
import { INDEXES_FOLDER } from './index-file.ts';
import type { Kind, RemoteObject, RemoteVersion, Sharing } from './kind.ts';
import { KINDS, listObjects } from './kinds.ts';
import { createLabels, markOf } from './label-objects.ts';
import { LIBRARIES_FOLDER } from './library-file.ts';
import { kindOfPath, writeFiles } from './safe-files.ts';

export const MARKER = 'tramontane-export.yaml';
export const PRIVATE = 'private';
const OWN_FOLDERS = [...KINDS.map(({ folder }) => folder), AGENTS_FOLDER, PRIVATE];
const MARKER_TEXT = `# Written by "tramontane export", which replaces the folders ${OWN_FOLDERS.join('/, ')}/ next to this file.\n`;
export const PRIVATE_LIBRARIES = `${PRIVATE}-${LIBRARIES_FOLDER}`;
/** Replaced only by an export that has them. */
const DOCUMENT_FOLDERS = [LIBRARIES_FOLDER, INDEXES_FOLDER, PRIVATE_LIBRARIES];

type Options = { allVersions: boolean; documents: boolean; onProgress: (done: number, name: string) => void };

export type Exported = { noun: string; name: string; sharing: Sharing; versions: number; documents?: number };

/** Writes everything that the key can read. Staged first, so that a failure leaves the previous export. */
export async function exportFolder(api: ApiClient, dir: string, options: Options): Promise<Exported[]> {
  await prepareTarget(dir);
  const staging = await mkdtemp(join(dir, '.tramontane-export-'));
  try {
    const exported: Exported[] = [];
    for (const kind of KINDS) {
      const labels = { workspace: createLabels(), private: createLabels() };
      for (const object of await listObjects(api, kind)) {
        const { name, sharingScope: sharing } = object;
        const root = join(staging, sharing === 'private' ? PRIVATE : '', kind.folder);
        const versions = await exportObject(api, kind, object, { ...options, root, label: labels[sharing](name) });
        if (versions > 0) exported.push({ noun: kind.noun, name, sharing, versions });
        options.onProgress(exported.length, name);
      }
    }
    const agents = await exportAgents(api, join(staging, AGENTS_FOLDER), (name) =>
      options.onProgress(exported.length, name),
    );
    exported.push(...agents.map((agent) => ({ noun: 'agent', sharing: 'workspace' as const, ...agent })));
    if (options.documents)
      exported.push(...(await exportDocuments(api, staging, (name) => options.onProgress(exported.length, name))));
    await replaceFolders(staging, dir, options.documents);
    const versions = `versions: ${options.allVersions ? 'all' : 'named'}\n`;
    await writeFile(join(dir, MARKER), `${MARKER_TEXT}format: 1\n${versions}`);
    return exported;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function exportDocuments(
  api: ApiClient,
  staging: string,
  onProgress: (name: string) => void,
): Promise<Exported[]> {
  const rootOf = (sharing: Sharing) => join(staging, sharing === 'private' ? PRIVATE_LIBRARIES : LIBRARIES_FOLDER);
  const libraries = await exportLibraries(api, rootOf, onProgress);
  const indexes = await exportIndexes(api, join(staging, INDEXES_FOLDER), onProgress);
  return [
    ...libraries.map((library) => ({ noun: 'library', versions: 0, ...library })),
    ...indexes.map((index) => ({ noun: 'search index', sharing: 'workspace' as const, versions: 0, ...index })),
  ];
}

/** Writes the latest version and those with an alias, or all; returns the number of versions. */
async function exportObject(
  api: ApiClient,
  kind: Kind,
  { id, name }: RemoteObject,
  { allVersions, root, label }: Options & { root: string; label: string },
): Promise<number> {
  const path = `/v2/${kind.folder}/${id}`;
  const newest = await api.find<RemoteObject>(path);
  // Deleted since the list was read.
  if (!newest) return 0;
  const fields = await kind.readFields(api, newest);
  await writeFiles(root, kind.toFiles(name, newest, label, fields));
  const { data } = await api.get<{ data: RemoteVersion[] }>(`${path}/versions`);
  const others = data.filter(({ version, aliases }) => version < newest.version && (allVersions || aliases.length > 0));
  for (const other of others) {
    const version = await api.get<RemoteVersion>(`${path}/versions/${other.version}`);
    await writeFiles(root, kind.toFiles(name, version, `${label}@${markOf(version, allVersions)}`, {}));
  }
  return others.length + 1;
}

async function prepareTarget(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const isExport = (await kindOfPath(join(dir, MARKER))) === 'file';
  for (const folder of [...OWN_FOLDERS, ...DOCUMENT_FOLDERS]) {
    const path = join(dir, folder);
    const found = await kindOfPath(path);
    if (found === undefined) continue;
    if (found === 'link')
      throw new CommandFailure(`${path} is a symbolic link; the export does not write through links.`);
    if (!isExport)
      throw new CommandFailure(`${path} exists and is not part of an earlier export. Choose another folder.`);
  }
}

async function replaceFolders(staging: string, dir: string, withDocuments: boolean): Promise<void> {
  for (const folder of [...OWN_FOLDERS, ...(withDocuments ? DOCUMENT_FOLDERS : [])]) {
    await rm(join(dir, folder), { recursive: true, force: true });
    if (await kindOfPath(join(staging, folder))) await rename(join(staging, folder), join(dir, folder));
  }
}
