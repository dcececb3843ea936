import type { FileService } from '../../files/index.ts';
import type { Blobs } from '../../kit/blobs/index.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { JobRow } from '../store.ts';

export class InputMissing extends Error {}

/** All of a job's requests as lines, and who may see what comes of them: no more people than could see the requests. */
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
  const opened = await Promise.all(job.input_files.map((id) => files.open(scope, id).catch(missing(id))));
  const isPrivate = opened.some(({ file }) => file.visibility === 'user');
  return { content: joined(opened.map(({ content }) => content)), visibility: isPrivate ? 'user' : 'workspace' };
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

/** A file need not end with a newline for the next one to begin a line. */
async function* joined(contents: { stream(): AsyncIterable<Uint8Array> }[]): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    yield* content.stream();
    yield NEWLINE;
  }
}
