import type { FileService } from '../files/index.ts';
import { readLines } from '../kit/base/read-lines.ts';
import type { Db } from '../kit/db/index.ts';
import { ApiError, type Scope } from '../kit/http/index.ts';
import { INLINE_REQUESTS_MAX } from './schema.ts';
import { hasEnded, type JobRow, listResults } from './store.ts';

type Output = Record<string, unknown>;

/** The results so far, in the order of the requests: from the database while the job runs, then from its files. */
export async function readOutputs(
  { db, files }: { db: Db; files: Pick<FileService, 'open'> },
  job: JobRow,
  scope: Scope,
): Promise<Output[]> {
  if (!hasEnded(job)) {
    const rows = await listResults(db, job.id, { after: -1, limit: INLINE_REQUESTS_MAX });
    return rows.map(({ line }) => JSON.parse(line));
  }
  const outputs: Output[] = [];
  for (const id of [job.output_file, job.error_file]) {
    if (id !== null) outputs.push(...(await linesOf(files, scope, id)));
  }
  return outputs.sort((a, b) => positionOf(a) - positionOf(b));
}

async function linesOf(files: Pick<FileService, 'open'>, scope: Scope, id: string): Promise<Output[]> {
  try {
    const { content } = await files.open(scope, id);
    const outputs: Output[] = [];
    for await (const line of readLines(content.stream())) {
      if ('bytes' in line) outputs.push(JSON.parse(Buffer.from(line.bytes).toString()));
    }
    return outputs;
  } catch (error) {
    // The file was deleted, and its results with it.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

/** Ids are `batch-<job>-<position>-<uuid>`. */
function positionOf({ id }: Output): number {
  return Number(String(id).split('-')[2]);
}
