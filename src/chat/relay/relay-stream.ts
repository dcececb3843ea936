import { ApiError } from '../../kit/http/index.ts';
import type { Run } from '../../metering/index.ts';
import type { Delta } from '../../models/index.ts';
import { chatErrors } from '../errors.ts';

/** Writes a completion for the wire, in the words of one API. */
export type StreamWriter = {
  /** What is said about one batch; may be nothing. */
  write(deltas: readonly Delta[]): string;
  /** After the last batch. */
  end(): string;
  /** Instead of the end. */
  fail(error: unknown): string;
};

type Options = { writer: StreamWriter; run: Run; signal: AbortSignal };

/** Waits for the first batch, so that a failure before it is an ordinary HTTP error. */
export async function openRelay(batches: AsyncIterable<Delta[]>, options: Options): Promise<AsyncGenerator<string>> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    options.run.answers();
    return relay(first, iterator, options);
  } catch (error) {
    throw options.run.fail(error);
  }
}

async function* relay(
  first: IteratorResult<Delta[]>,
  iterator: AsyncIterator<Delta[]>,
  options: Options,
): AsyncGenerator<string> {
  const { writer, run, signal } = options;
  try {
    for (let result = first; !result.done; result = await iterator.next()) {
      const text = writer.write(result.value);
      if (text !== '') yield text;
    }
    run.settle(200);
    yield writer.end();
  } catch (error) {
    run.fail(error);
    if (signal.aborted) return;
    yield writer.fail(error);
    // The client has its error event; an unexpected error is also for the server's log.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    // The engine adds what it used until now when it is stopped, so that comes first.
    try {
      await iterator.return?.();
    } finally {
      run.fail(undefined);
    }
  }
}

/** What a client may know of an error. */
export function toShown(error: unknown): ApiError {
  return error instanceof ApiError ? error : chatErrors.completion_failed();
}

/** The last event of a stream that failed; there is no `[DONE]` after it. */
export function errorEvent(error: unknown): string {
  const { message, type, wireCode: code } = toShown(error);
  return `data: ${JSON.stringify({ object: 'error', message, type, param: null, code })}\n\n`;
}
