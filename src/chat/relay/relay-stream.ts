import { ApiError } from '../../kit/http/index.ts';
import type { Run } from '../../metering/index.ts';
import type { Delta, EngineUsage } from '../../models/index.ts';
import { type ChunkWriter, DONE } from './chunk-writer.ts';

type Options = { writer: ChunkWriter; run: Run; signal: AbortSignal; promptTokens: number };

/**
 * Waits for the first batch, so that whatever fails before it is an ordinary HTTP error, and returns the rest as text
 * for the wire.
 */
export async function openRelay(batches: AsyncIterable<Delta[]>, options: Options): Promise<AsyncGenerator<string>> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    return relay(first, iterator, options);
  } catch (error) {
    throw options.run.fail(error, spent(options));
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
    run.settle(200, spent(options));
    yield DONE;
  } catch (error) {
    run.fail(error, spent(options));
    if (signal.aborted) return;
    yield errorEvent(error);
    // The server logs what it does not know; the client has been told already.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    run.fail(undefined, spent(options));
    await iterator.return?.();
  }
}

/** The engine's figures; before they are there, what has been sent counts by its length. */
function spent({ writer, promptTokens }: Options): EngineUsage {
  return writer.usage ?? { promptTokens, completionTokens: Math.ceil(writer.characters / 4) };
}

function errorEvent(error: unknown): string {
  const known =
    error instanceof ApiError
      ? error
      : new ApiError(500, 'Something went wrong on our side. Report the request id to the operator.');
  const { message, type, code } = known;
  return `data: ${JSON.stringify({ object: 'error', message, type, param: null, code })}\n\n`;
}
