import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type CatalogueEntry, catalogue, findCatalogueEntry } from './catalogue.ts';
import { PullFailed } from './errors.ts';
import { findHolder } from './lock-file.ts';
import { idOfFile } from './plan-pull.ts';
import { lockPath, pinsOf } from './pull-file.ts';

export type InstalledModel = {
  id: string;
  purpose: CatalogueEntry['purpose'];
  /** The path of the model itself. */
  file: string;
  /** The model and what goes with it, in the order of the catalogue. */
  files: string[];
  bytes: number;
  /** Undefined for a file that the catalogue does not know. */
  entry: CatalogueEntry | undefined;
};

/** The models that are wholly there. Judged by size, not by sha256: that was checked when they came. */
export async function list(modelsDir: string): Promise<InstalledModel[]> {
  const dir = resolve(modelsDir);
  const sizes = await sizesIn(dir);
  const known = new Set(catalogue.flatMap(({ files }) => files.map(({ name }) => name)));
  const models = catalogue.flatMap((entry) => {
    const isWhole = entry.files.every((file) => pinsOf(file).some(({ bytes }) => bytes === sizes.get(file.name)));
    return isWhole
      ? [
          describe(
            dir,
            entry.id,
            entry.purpose,
            entry.files.map(({ name }) => name),
            sizes,
            entry,
          ),
        ]
      : [];
  });
  for (const name of [...sizes.keys()].sort()) {
    if (/\.gguf$/i.test(name) && !known.has(name)) models.push(describe(dir, idOfFile(name), 'chat', [name], sizes));
  }
  return models;
}

export async function find(modelsDir: string, id: string): Promise<InstalledModel | undefined> {
  return (await list(modelsDir)).find((model) => model.id === id.toLowerCase());
}

/**
 * Deletes a model and whatever half of it lies there. Answers how many bytes that freed, or undefined if there was
 * nothing to delete.
 */
export async function remove(modelsDir: string, id: string): Promise<number | undefined> {
  const dir = resolve(modelsDir);
  const names = await readdir(dir).catch(() => []);
  const models = fileNamesOf(id.toLowerCase(), names);
  for (const model of models) {
    const pid = await findHolder(lockPath(join(dir, model)));
    if (pid !== undefined) throw new PullFailed(`${id} is being pulled by process ${pid}. Stop that first.`);
  }
  const doomed = names.filter((name) => models.includes(wholeName(name)));
  if (doomed.length === 0) return undefined;
  let freedBytes = 0;
  for (const name of doomed) {
    freedBytes += (await stat(join(dir, name))).size;
    await rm(join(dir, name), { recursive: true, force: true });
  }
  return freedBytes;
}

function fileNamesOf(id: string, names: string[]): string[] {
  const entry = findCatalogueEntry(id);
  if (entry) return entry.files.map(({ name }) => name);
  const ggufs = names.map(wholeName).filter((name) => /\.gguf$/i.test(name) && idOfFile(name) === id);
  return [...new Set(ggufs)];
}

/** Of a partial file or a leftover beside it: the name that it would have had when whole. */
function wholeName(name: string): string {
  return name.replace(/\.(local|url|huggingface|pip|npm)\.(partial|partial\.json|work)$|\.lock$/, '');
}

function describe(
  dir: string,
  id: string,
  purpose: InstalledModel['purpose'],
  names: readonly string[],
  sizes: Map<string, number>,
  entry?: CatalogueEntry,
): InstalledModel {
  const files = names.map((name) => join(dir, name));
  const bytes = names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  return { id, purpose, file: files[0] ?? dir, files, bytes, entry };
}

async function sizesIn(dir: string): Promise<Map<string, number>> {
  const names = await readdir(dir).catch(() => []);
  const pairs = await Promise.all(
    names.map(async (name): Promise<[string, number] | undefined> => {
      const found = await stat(join(dir, name)).catch(() => undefined);
      return found?.isFile() ? [name, found.size] : undefined;
    }),
  );
  return new Map(pairs.filter((pair) => pair !== undefined));
}
