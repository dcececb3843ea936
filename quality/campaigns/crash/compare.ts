import { type BlobPlace, openBlobs } from '../../../src/compose/open-blobs.ts';
import { countMarks, type Query } from '../writes/find-marks.ts';
import { kindNames } from '../writes/kinds.ts';
import type { Told } from './run-writers.ts';

export type Comparison = { lost: string[]; doubled: string[]; wrong: string[] };

/** Compares what was acknowledged to the writers with what the tables hold. */
export async function compare(query: Query, told: Told, place: BlobPlace): Promise<Comparison> {
  const found = await countMarks(query);
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const kind of kindNames) {
    for (const mark of told.done[kind]) if (!found[kind].has(mark)) lost.push(mark);
    for (const mark of told.sent[kind]) if ((found[kind].get(mark) ?? 0) > 1) doubled.push(mark);
  }
  return {
    lost: [...lost, ...(await lostContent(query, place))],
    doubled,
    wrong: [
      ...(await wrongResults(query, told)),
      ...(await wrongJobs(query)),
      ...(await wrongRuns(query)),
      ...(await wrongDocuments(query)),
    ],
  };
}

/** Files whose row exists and whose bytes do not. */
async function lostContent(query: Query, place: BlobPlace): Promise<string[]> {
  const rows = await query<{ filename: string; sha256: string }>('select filename, sha256 from files');
  const blobs = openBlobs(place, 'files');
  const lost: string[] = [];
  for (const { filename, sha256 } of rows) if (!(await blobs.open(sha256))) lost.push(`bytes of ${filename}`);
  return lost;
}

/** Every execution must complete with each acknowledged signal exactly once. */
async function wrongResults(query: Query, told: Told): Promise<string[]> {
  const rows = await query<{ execution_id: string; status: string; result: unknown }>(
    'select execution_id, status, result from workflow_runs',
  );
  const wrong: string[] = [];
  for (const { execution_id, status, result } of rows) {
    const said = (typeof result === 'string' ? JSON.parse(result) : result) as string[] | null;
    const expected = [execution_id, ...(told.heard.get(execution_id) ?? [])];
    const isRight =
      status === 'COMPLETED' && new Set(said).size === said?.length && expected.every((mark) => said?.includes(mark));
    if (!isRight) wrong.push(`${execution_id}: ${status} ${JSON.stringify(said)}`);
  }
  return wrong;
}

async function wrongRuns(query: Query): Promise<string[]> {
  const rows = await query<{ name: string; status: string; completed_records: number }>(
    'select name, status, completed_records from evaluation_runs',
  );
  return rows
    .filter(({ status, completed_records }) => status !== 'completed' || Number(completed_records) !== 1)
    .map(({ name, status, completed_records }) => `${name}: ${status}, ${completed_records} of 1`);
}

/** Every document must have been read whole, be found once, and have a vector for each chunk. */
async function wrongDocuments(query: Query): Promise<string[]> {
  const rows = await query<{ name: string; process_status: string; chunks: number | null; vectors: number }>(`
    select l.name, l.process_status, d.chunks,
      (select count(*) from search_vectors v where v.id >= d.id and v.id < d.id + d.reserved) as vectors
    from library_documents l left join search_documents d on d.document_id = l.id and d.is_live`);
  return rows
    .filter(({ process_status, chunks, vectors }) => {
      const isWhole = Number(chunks) > 1 && Number(vectors) === Number(chunks);
      return process_status !== 'done' || !isWhole;
    })
    .map(({ name, process_status, chunks, vectors }) => `${name}: ${process_status}, ${vectors} of ${chunks} vectors`);
}

async function wrongJobs(query: Query): Promise<string[]> {
  const rows = await query<{ id: string; status: string; succeeded_requests: number }>(
    'select id, status, succeeded_requests from batch_jobs',
  );
  return rows
    .filter(({ status, succeeded_requests }) => status !== 'SUCCESS' || Number(succeeded_requests) !== 3)
    .map(({ id, status, succeeded_requests }) => `batch ${id}: ${status}, ${succeeded_requests} of 3`);
}
