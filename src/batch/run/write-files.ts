import type { FileService } from '../../files/index.ts';
import type { Db } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { type JobError, type JobRow, listResults, type ResultRow } from '../store.ts';

const PAGE = 50;
/** Different messages in `errors`; all are in the file. */
const MESSAGES_MAX = 20;

type Written = { output_file: string | null; error_file: string | null; errors: JobError[] };

/** Writes the results as files: one of successes and one of errors, if there are any. */
export async function writeFiles(
  { db, files }: { db: Db; files: Pick<FileService, 'create'> },
  job: JobRow,
  scope: Scope,
  visibility: 'workspace' | 'user',
): Promise<Written> {
  const counts = new Map<string, number>();
  const count = ({ line }: ResultRow) => {
    const { message } = JSON.parse(line).error;
    if (counts.has(message) || counts.size < MESSAGES_MAX) counts.set(message, (counts.get(message) ?? 0) + 1);
  };

  async function write(isSuccess: boolean): Promise<string | null> {
    const [first] = await listResults(db, job.id, { after: -1, limit: 1, isSuccess });
    if (!first) return null;
    const file = await files.create(
      scope,
      {
        filename: `${job.id}-${isSuccess ? 'output' : 'errors'}.jsonl`,
        mimetype: 'application/jsonl',
        purpose: 'batch',
        sample_type: isSuccess ? 'batch_result' : 'batch_error',
        source: 'mistral',
        visibility,
      },
      linesOf(db, job.id, isSuccess, isSuccess ? () => undefined : count),
    );
    return file.id;
  }
  const written = { output_file: await write(true), error_file: await write(false) };
  return { ...written, errors: [...counts].map(([message, times]) => ({ message, count: times })) };
}

async function* linesOf(
  db: Db,
  jobId: string,
  isSuccess: boolean,
  onRow: (row: ResultRow) => void,
): AsyncGenerator<Uint8Array> {
  for (let after = -1; ; ) {
    const rows = await listResults(db, jobId, { after, limit: PAGE, isSuccess });
    const last = rows.at(-1);
    if (!last) return;
    after = Number(last.position);
    rows.forEach(onRow);
    yield Buffer.from(rows.map(({ line }) => `${line}\n`).join(''));
  }
}
