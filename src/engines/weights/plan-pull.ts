import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { type CatalogueFile, catalogue, findCatalogueEntry, type Source } from './catalogue.ts';
import { PullFailed } from './errors.ts';
import { chooseFile, type HuggingFace } from './huggingface.ts';

export type PlannedSource = Source | { kind: 'local'; path: string } | { kind: 'url'; url: string };

export type PlannedFile = {
  name: string;
  bytes?: number | undefined;
  sha256?: string | undefined;
  sources: readonly PlannedSource[];
};

export type Plan = { id: string; files: readonly [PlannedFile, ...PlannedFile[]] };

const REPOSITORY = /^([\w.-]+\/[\w.-]+)(?::(.+))?$/;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/;

/** What to pull, from what an operator typed: a catalogue id, an address, a path, or a repository with or without a file. */
export async function planPull(
  model: string,
  options: {
    huggingFace: HuggingFace;
    sha256?: string | undefined;
    signal: AbortSignal;
    answerMs?: number | undefined;
  },
): Promise<Plan> {
  const entry = findCatalogueEntry(model);
  if (entry) return { id: entry.id, files: entry.files };
  if (/^https?:\/\//i.test(model))
    return planOne({ kind: 'url', url: checkUrl(model, options.sha256) }, options.sha256);
  const path = resolve(model.replace(/^~(?=[/\\])/, () => homedir()));
  if ((await stat(path).catch(() => undefined))?.isFile()) return planOne({ kind: 'local', path }, options.sha256);
  const [, repository, file] = (/^[./~\\]/.test(model) ? null : REPOSITORY.exec(model)) ?? [];
  if (repository !== undefined) {
    const chosen = file ?? (await chooseFile(options.huggingFace, repository, options));
    return planOne({ kind: 'huggingface', repository, path: chosen }, options.sha256);
  }
  throw new PullFailed(
    `'${model}' is no model of the catalogue (${catalogue.map(({ id }) => id).join(', ')}), no file that exists, ` +
      'no https address of a GGUF, and no repository in the form owner/name:file.gguf.',
  );
}

/** The id of a file that the catalogue does not know. */
export function idOfFile(name: string): string {
  return name.replace(/\.gguf$/i, '').toLowerCase();
}

function planOne(source: PlannedSource, sha256: string | undefined): Plan {
  const name = nameIn(source);
  const known = findCatalogueFile(name);
  // Under a name of the catalogue only the file of the catalogue may lie.
  if (known && sha256 !== undefined && sha256 !== known.file.sha256)
    throw new PullFailed(`${name} belongs to ${known.id} of the catalogue, whose sha256 is ${known.file.sha256}.`);
  const { bytes, sha256: pinned } = known?.file ?? { bytes: undefined, sha256 };
  return { id: known?.id ?? idOfFile(name), files: [{ name, bytes, sha256: pinned, sources: [source] }] };
}

function nameIn(source: PlannedSource): string {
  const path = source.kind === 'url' ? decodeURIComponent(new URL(source.url).pathname) : pathIn(source);
  const name = basename(path);
  if (/-\d{5}-of-\d{5}\.gguf$/i.test(name))
    throw new PullFailed(`${name} is one of several pieces. Choose a GGUF that is a single file.`);
  if (findCatalogueFile(name) || /^\w[\w.+-]*\.gguf$/i.test(name)) return name;
  throw new PullFailed(`'${name}' is not the name of a GGUF file.`);
}

function pathIn(source: PlannedSource): string {
  return 'path' in source ? source.path : '';
}

function findCatalogueFile(name: string): { id: string; file: CatalogueFile } | undefined {
  for (const { id, files } of catalogue) {
    const file = files.find((candidate) => candidate.name === name);
    if (file) return { id, file };
  }
  return undefined;
}

function checkUrl(url: string, sha256: string | undefined): string {
  if (!URL.canParse(url)) throw new PullFailed(`'${url}' is not an address.`);
  // Without encryption anyone on the way can change the bytes, so they must be known beforehand.
  if (url.startsWith('http:') && sha256 === undefined && !LOOPBACK.test(url))
    throw new PullFailed('Pull from an https address, or give the sha256 of the file.');
  return url;
}
