import type { FileService, OpenFile } from '../../files/index.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { JobRow } from '../store.ts';

export class InputMissing extends Error {}

/** The requests of a job as lines, and the visibility of its results: private if a request is. */
export async function openInputs(
  { files, blobs }: { files: Pick<FileService, 'open'>; blobs: Blobs },
  job: JobRow,
  scope: Scope,
): Promise<{ content: AsyncIterable<Uint8Array>; visibility: 'workspace' | 'user' }> {
  if (job.input_blob !== null) {
    const blob = await blobs.open(job.input_blob);
    if (!blob) throw new InputMissing('The requests of this job are missing in the data dir of the server.');
    return { content: blob.stream(), visibility: 'workspace' };
  }
  const opened: OpenFile[] = [];
  // One by one: a thousand at once would keep all other requests waiting.
  for (const id of job.input_files) opened.push(await files.open(scope, id).catch(missing(id)));
  const isPrivate = opened.some(({ file }) => file.visibility === 'user');
  return { content: joinContents(opened.map(({ content }) => content)), visibility: isPrivate ? 'user' : 'workspace' };
}

function missing(id: string) {
  return (error: unknown): never => {
    if (error instanceof ApiError && error.status === 404) {
      throw new InputMissing(`The input file ${id} was deleted, or has expired.`);
    }
    throw error;
  };
}

const NEWLINE = Uint8Array.of(10);

/** Adds the newline that may be missing at the end of a file. */
async function* joinContents(contents: { stream(): AsyncIterable<Uint8Array> }[]): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    yield* content.stream();
    yield NEWLINE;
  }
}
