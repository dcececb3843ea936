import { createHash } from 'node:crypto';
import { createReadStream, watch } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../kit/base/error-code.ts';
import { type ListedFile, listFiles, type Plan, planSync, TooManyFiles } from '../../kit/folders/index.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, ApiRefusal, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { splitList } from '../shell/parse-values.ts';
import {
  type Document,
  describeDocument,
  listDocuments,
  type ReadDocument,
  uploadDocument,
  waitUntilRead,
} from './documents.ts';
import { findLibrary, findOrCreateLibrary, type Library } from './find-library.ts';
import { printable } from './passages.ts';

const FILES_MAX = 100_000;
const IGNORE_FILE = '.tramontaneignore';
const ALWAYS_IGNORED = ['node_modules'];
/** Editors save a file in several steps, and often several files at once. */
const DEBOUNCE_MS = 300;
/** Attributes of a document by which the next sync knows it. */
const FOLDER = 'sync_folder';
const PATH = 'sync_path';

type Options = { root: string; label: string; ignore: string[]; deletes: boolean; isDry: boolean; waits: boolean };
type Hashes = Map<string, ListedFile & { sha256: string }>;
type Failure = { path: string; reason: string };
type Result = {
  library_id: string | null;
  added: string[];
  changed: string[];
  moved: { from: string; to: string }[];
  deleted: string[];
  kept: string[];
  doubles: { path: string; of: string }[];
  empty: string[];
  unchanged: number;
  failed: Failure[];
};

export async function sync(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const options = await readOptions(context);
  const api = openApi(context);
  const name = args.parameter('library');
  // A dry run creates nothing, not even the library.
  const library = options.isDry
    ? await findLibrary(api, name)
    : await findOrCreateLibrary(api, name, (made) => output.note(`Created the library '${made.name}' (${made.id}).`));
  const known: Hashes = new Map();
  const runOnce = async () => {
    const result = await syncOnce(context, api, library, options, known);
    output.result(result, describe(result, options));
    return result;
  };
  if (args.flag('watch') && !options.isDry) return watchFolder(context, options.root, runOnce);
  return (await runOnce()).failed.length > 0 ? 1 : 0;
}

async function readOptions({ args }: Context): Promise<Options> {
  const folder = args.parameter('folder');
  const root = await realpath(folder).catch((error: unknown) => {
    throw new CommandFailure(`${folder} cannot be read (${codeOf(error)}).`);
  });
  if (!(await stat(root)).isDirectory())
    throw new CommandFailure(
      `${folder} is a file. Add it: npx tramontane library add '${args.parameter('library')}' '${folder}'`,
    );
  const lines = (await readFile(join(root, IGNORE_FILE), 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.trim());
  return {
    root,
    label: args.text('as') ?? basename(root),
    ignore: [
      ...ALWAYS_IGNORED,
      ...splitList(args.text('ignore') ?? ''),
      ...lines.filter((line) => line !== '' && !line.startsWith('#')),
    ],
    deletes: args.flag('delete'),
    isDry: args.flag('dry-run'),
    waits: !args.flag('no-wait'),
  };
}

async function syncOnce(
  { output }: Context,
  api: ApiClient,
  library: Library | undefined,
  options: Options,
  known: Hashes,
): Promise<Result> {
  const { root, label } = options;
  const onProgress = (text: string) => output.progress(text);
  const { files, empty } = await readFolder(options, known, onProgress);
  const documents = library ? await listDocuments(api, library.id) : [];
  const isOurs = ({ attributes, hash }: Document) =>
    hash !== null && attributes?.[FOLDER] === label && typeof attributes[PATH] === 'string';
  const ours = documents
    .filter(isOurs)
    .map(({ id, hash, attributes }) => ({ id, sha256: hash ?? '', path: String(attributes?.[PATH]) }));
  const elsewhere = new Set(documents.filter((document) => !isOurs(document)).flatMap(({ hash }) => hash ?? []));
  const plan = planSync(files, ours, elsewhere);
  const result = resultOf(plan, library, options, empty);
  if (options.isDry || !library) return result;
  const sent = await send(api, library, plan, options, result, onProgress);
  const read = options.waits ? await waitUntilRead(api, library.id, sent, onProgress) : [];
  for (const document of read) noteFailure(result, document);
  for (const { id } of options.deletes ? plan.gone : []) await remove(api, library, id);
  known.clear();
  for (const file of files) known.set(join(root, file.path), file);
  return result;
}

async function readFolder(
  { root, ignore }: Options,
  known: Hashes,
  onProgress: (text: string) => void,
): Promise<{ files: (ListedFile & { sha256: string })[]; empty: string[] }> {
  const listed = await listFiles(root, { ignore, filesMax: FILES_MAX }).catch((error: unknown) => {
    if (error instanceof TooManyFiles)
      throw new CommandFailure(`${root} has more than ${FILES_MAX} files. Leave some out with --ignore.`);
    throw new CommandFailure(`${root} cannot be read (${codeOf(error)}).`);
  });
  const files = [];
  for (const file of listed.filter(({ bytes }) => bytes > 0)) {
    const before = known.get(join(root, file.path));
    const isSame = before?.bytes === file.bytes && before.modifiedMs === file.modifiedMs;
    onProgress(`looking at ${file.path} …`);
    files.push({ ...file, sha256: isSame ? before.sha256 : await hashFile(join(root, file.path)) });
  }
  return { files, empty: listed.filter(({ bytes }) => bytes === 0).map(({ path }) => path) };
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash).catch((error: unknown) => {
    throw new CommandFailure(`${path} cannot be read (${codeOf(error)}).`);
  });
  return hash.digest('hex');
}

function resultOf(plan: Plan, library: Library | undefined, { deletes }: Options, empty: string[]): Result {
  const gone = plan.gone.map(({ path }) => path);
  return {
    library_id: library?.id ?? null,
    added: plan.add.filter(({ replaces }) => replaces === undefined).map(({ path }) => path),
    changed: plan.add.filter(({ replaces }) => replaces !== undefined).map(({ path }) => path),
    moved: plan.move.map(({ path, to }) => ({ from: path, to })),
    deleted: deletes ? gone : [],
    kept: deletes ? [] : gone,
    doubles: plan.doubles,
    empty,
    unchanged: plan.same,
    failed: [],
  };
}

/** One file that the server refuses does not keep the others from being sent. */
async function send(
  api: ApiClient,
  library: Library,
  plan: Plan,
  { root, label }: Options,
  result: Result,
  onProgress: (text: string) => void,
): Promise<Document[]> {
  const path = (id: string) => `/v1/libraries/${library.id}/documents/${id}`;
  const mark = async (id: string, at: string) =>
    (await api.send<Document>('PATCH', path(id), { name: at.slice(-255), attributes: { [FOLDER]: label, [PATH]: at } }))
      .data;
  const sent: Document[] = [];
  for (const { id, to } of plan.move) await mark(id, to);
  for (const [index, { path: at, replaces }] of plan.add.entries()) {
    onProgress(`sending ${at} … ${index} of ${plan.add.length}`);
    try {
      const { document } = await uploadDocument(api, library.id, join(root, at));
      sent.push(await mark(document.id, at));
      if (replaces !== undefined) await remove(api, library, replaces);
    } catch (error) {
      if (!(error instanceof ApiRefusal) || error.status === 401 || error.status === 403) throw error;
      fail(result, at, error.message);
    }
  }
  return sent;
}

async function remove(api: ApiClient, library: Library, id: string): Promise<void> {
  await api.fetch(`/v1/libraries/${library.id}/documents/${id}`, { method: 'DELETE' }).catch((error: unknown) => {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
  });
}

function noteFailure(result: Result, document: ReadDocument): void {
  if (document.processing_status === 'Failed')
    fail(result, document.name, describeDocument(document).slice(document.name.length + 2));
}

function fail(result: Result, path: string, reason: string): void {
  result.failed.push({ path, reason });
  result.added = result.added.filter((one) => one !== path);
  result.changed = result.changed.filter((one) => one !== path);
}

function describe(result: Result, { isDry, deletes }: Options): string {
  const lines = [
    ...result.added.map((path) => `+ ${path}`),
    ...result.changed.map((path) => `~ ${path}`),
    ...result.moved.map(({ from, to }) => `> ${from} → ${to}`),
    ...result.deleted.map((path) => `- ${path}`),
    ...result.kept.map((path) => `? ${path}: gone from the folder, kept in the library; --delete deletes it`),
    ...result.doubles.map(({ path, of }) => `= ${path}: has the content of ${of}`),
    ...result.empty.map((path) => `= ${path}: is empty`),
    ...result.failed.map(({ path, reason }) => `! ${path}: ${reason}`),
  ].map(printable);
  const counts = [
    `${result.added.length} new`,
    `${result.changed.length} changed`,
    `${result.moved.length} renamed`,
    ...(deletes ? [`${result.deleted.length} deleted`] : []),
    `${result.unchanged} unchanged`,
    ...(result.failed.length > 0 ? [`${result.failed.length} failed`] : []),
  ];
  const files = result.added.length + result.changed.length + result.moved.length + result.unchanged;
  const head = isDry ? 'Nothing was changed. It would be: ' : '';
  return [...lines, `${head}${formatCount(files, 'document')}: ${counts.join(', ')}`].join('\n');
}

async function watchFolder({ output }: Context, root: string, runOnce: () => Promise<unknown>): Promise<ExitCode> {
  let wake: () => void = () => undefined;
  let isStopped = false;
  let isDirty = false;
  // Before the first sync, so that a file that is saved meanwhile is noticed.
  const watcher = watch(root, { recursive: true }, () => {
    isDirty = true;
    wake();
  });
  void listenForSignals(() => process.exit(1)).then(() => {
    isStopped = true;
    wake();
  });
  await runOnce();
  output.note(`Watching ${root}. Press Ctrl-C to stop.`);
  while (!isStopped) {
    if (!isDirty)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    if (isStopped) break;
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    isDirty = false;
    // A server that restarts must not end the watch.
    await runOnce().catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      output.note(error.message);
    });
  }
  watcher.close();
  return 0;
}
