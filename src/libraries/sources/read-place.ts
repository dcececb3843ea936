import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import { codeOf } from '../../kit/base/error-code.ts';
import { codeFile } from '../../kit/base/locations.ts';
import { listFiles, openInside, TooManyFiles } from '../../kit/folders/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import { libraryErrors } from '../errors.ts';
import { fetchPages } from '../process/fetch-pages.ts';
import type { SourcePlace } from '../schema.ts';
import { fetchPack, findHead } from './fetch-pack.ts';
import type { PackReport } from './pack-worker.ts';
import type { PackFiles, PackOrder } from './read-pack.ts';

/** Git objects are held in memory while they are put together. */
const GIT_FILE_BYTES_MAX = 32 * 1024 * 1024;
const THREAD_MEMORY_MIB = 256;

type SourceLimits = { filesMax: number; fileBytesMax: number; bytesMax: number; timeoutMs: number };
type SourceFolder = { path: string; workspaces?: string[] | undefined };
export type PlacePorts = {
  /** For pages of a site. */
  web: { outbound: Pick<Outbound, 'fetch'> };
  /** For repositories, which are larger and slower. */
  repositories: Pick<Outbound, 'fetch'>;
  sourceFolders: readonly SourceFolder[];
  sourceLimits: SourceLimits;
};

export type FoundFile = {
  path: string;
  sha256: string;
  bytes: number;
  url?: string;
  mimetype: string | null;
  open(): AsyncIterable<Uint8Array>;
};
export type FoundFiles = { files: FoundFile[]; skipped: number; revision: string | null };

/** The real path of a folder that the operator opened for this workspace. */
export async function checkFolder(
  folders: readonly SourceFolder[],
  workspaceId: string,
  path: string,
): Promise<string> {
  const wanted = await realpath(path).catch(() => undefined);
  for (const folder of folders) {
    if (folder.workspaces && !folder.workspaces.includes(workspaceId)) continue;
    const root = await realpath(folder.path).catch(() => undefined);
    const isInside =
      root !== undefined &&
      wanted !== undefined &&
      (wanted === root || wanted.startsWith(root.replace(/\/$/, '') + sep));
    if (isInside && (await stat(wanted)).isDirectory()) return wanted;
  }
  // The same for what is missing and what is closed: paths of the server are not told.
  throw libraryErrors.source_folder_refused();
}

/** Reads a place; what it holds is valid inside `use` only. */
export async function readPlace<T>(
  ports: PlacePorts,
  { place, workspaceId }: { place: SourcePlace; workspaceId: string },
  signal: AbortSignal,
  use: (found: FoundFiles) => Promise<T>,
): Promise<T> {
  if (place.type === 'folder') {
    const root = await checkFolder(ports.sourceFolders, workspaceId, place.path);
    return use(await readFolder(root, place.ignore, ports.sourceLimits, signal));
  }
  const dir = await mkdtemp(join(tmpdir(), 'tramontane-source-'));
  try {
    return await use(
      place.type === 'git'
        ? await readRepository(ports, place, dir, signal)
        : await readSite(ports, place, dir, signal),
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readFolder(
  root: string,
  ignore: string[],
  limits: SourceLimits,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const listed = await listFiles(root, { ignore, filesMax: limits.filesMax }).catch((error: unknown) => {
    if (error instanceof TooManyFiles) throw libraryErrors.source_unreadable(error.message);
    throw libraryErrors.source_unreadable(`The folder cannot be read (${codeOf(error)}).`);
  });
  const fits = listed.filter(({ bytes }) => bytes > 0 && bytes <= limits.fileBytesMax);
  const total = fits.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > limits.bytesMax) throw libraryErrors.source_unreadable('The files of the folder are too large together.');
  const found: FoundFiles = {
    files: [],
    skipped: listed.filter(({ bytes }) => bytes > limits.fileBytesMax).length,
    revision: null,
  };
  for (const { path, bytes } of fits) {
    signal.throwIfAborted();
    const hash = createHash('sha256');
    const content = () => readInside(root, path);
    const isRead = await consume(content(), (chunk) => hash.update(chunk));
    if (isRead) found.files.push({ path, bytes, mimetype: null, sha256: hash.digest('hex'), open: content });
    else found.skipped++;
  }
  return found;
}

async function* readInside(root: string, path: string): AsyncGenerator<Uint8Array> {
  const file = await openInside(root, path);
  if (!file) throw libraryErrors.source_unreadable(`'${path}' went away while it was being read.`);
  yield* file.createReadStream();
}

/** A file that this server may not read is left out, and the others are not. */
async function consume(content: AsyncIterable<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<boolean> {
  try {
    for await (const chunk of content) take(chunk);
    return true;
  } catch {
    return false;
  }
}

async function readRepository(
  { repositories, sourceLimits }: PlacePorts,
  { url, branch, folder, ignore }: Extract<SourcePlace, { type: 'git' }>,
  dir: string,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const base = url.replace(/\/$/, '');
  const head = await findHead(repositories, base, branch, signal);
  const pack = join(dir, 'pack');
  const fileBytesMax = Math.min(GIT_FILE_BYTES_MAX, sourceLimits.fileBytesMax);
  await fetchPack(repositories, base, head, { file: pack, fileBytesMax, signal });
  const { filesMax, bytesMax } = sourceLimits;
  const order = { pack, commit: head.commit, dir, below: folder, ignore, filesMax, fileBytesMax, bytesMax };
  const { files, skipped } = await readInThread(order, signal);
  return {
    files: files.map(({ file, ...rest }) => ({ ...rest, mimetype: null, open: () => createReadStream(file) })),
    skipped: skipped.length,
    revision: head.commit,
  };
}

/** Apart from the requests of others, and ended when its time is up. */
function readInThread(order: PackOrder, signal: AbortSignal): Promise<PackFiles> {
  const worker = new Worker(codeFile('libraries/sources/pack-worker.ts'), {
    workerData: order,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MIB },
  });
  return new Promise<PackFiles>((resolve, reject) => {
    const stop = () => {
      reject(signal.reason);
      void worker.terminate();
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (report: PackReport) =>
      'problem' in report ? reject(libraryErrors.source_unreadable(report.problem)) : resolve(report),
    );
    worker.once('error', () => reject(libraryErrors.source_unreadable('The repository is too large to be read.')));
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(libraryErrors.source_unreadable('The repository could not be read.'));
    });
  });
}

async function readSite(
  { web, sourceLimits }: PlacePorts,
  { url, pages_max }: Extract<SourcePlace, { type: 'site' }>,
  dir: string,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const listed = await fetchPages(web, url, pages_max, signal);
  const found: FoundFiles = { files: [], skipped: 0, revision: null };
  let total = 0;
  for (const page of 'pages' in listed ? listed.pages : []) {
    // A page that is gone or broken does not keep the others from being read.
    const fetched = await fetchPages(web, page, undefined, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof Error && 'status' in error) return undefined;
      throw error;
    });
    if (!fetched || !('bytes' in fetched) || fetched.bytes.length === 0) {
      found.skipped++;
      continue;
    }
    const { bytes, mimetype } = fetched;
    total += bytes.length;
    if (total > sourceLimits.bytesMax)
      throw libraryErrors.source_unreadable('The pages of the site are too large together.');
    const file = join(dir, String(found.files.length));
    await writeFile(file, bytes, { mode: 0o600 });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    found.files.push({
      path: page,
      url: page,
      bytes: bytes.length,
      mimetype,
      sha256,
      open: () => createReadStream(file),
    });
  }
  if (found.files.length === 0) throw libraryErrors.source_unreadable('No page of the site could be read.');
  return found;
}
