import { catalogue, listWeights, type PullProgress } from '../engines/index.ts';

const MEGABYTE = 1_000_000;

export function listCatalogue() {
  return catalogue.map(({ id, purpose, summary, licence, memoryBytes, speed, choosesTools, files }) => ({
    id,
    purpose,
    summary,
    licence,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    memory_bytes: memoryBytes,
    speed,
    chooses_tools: choosesTools,
    sources: [...new Set(files.flatMap(({ sources }) => sources.map(({ kind }) => kind)))],
    sha256: files.map(({ name, sha256 }) => ({ file: name, sha256 })),
  }));
}

export async function listInstalled(modelsDir: string) {
  const installed = await listWeights(modelsDir);
  return installed.map(({ id, purpose, file, bytes }) => ({ id, purpose, file, bytes }));
}

/** `34 of 98 MB at 5 MB/s, 13 s left`, as far as it is known. */
export function describeProgress(progress: PullProgress | undefined): string {
  if (!progress) return 'looking for a source';
  if (progress.phase === 'checking') return `checking ${progress.file}`;
  if (progress.phase === 'waiting') return `another process downloads ${progress.file}`;
  const { doneBytes, totalBytes, bytesPerSecond, secondsLeft } = progress;
  const size =
    totalBytes === undefined ? `${megabytes(doneBytes)} MB` : `${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`;
  const rate = bytesPerSecond === undefined ? '' : ` at ${(bytesPerSecond / MEGABYTE).toFixed(1)} MB/s`;
  return `${size}${rate}${secondsLeft === undefined ? '' : `, ${Math.ceil(secondsLeft)} s left`}`;
}

/** The same in numbers, for a progress bar. */
export function measureProgress(progress: PullProgress) {
  const { doneBytes = 0, totalBytes = null } = progress.phase === 'transferring' ? progress : {};
  return { bytes: doneBytes, total_bytes: totalBytes || null, message: describeProgress(progress) };
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / MEGABYTE));
}
