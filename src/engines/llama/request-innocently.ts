import { ChildExited, type RequestOptions } from '../process/start-child.ts';
import type { SupervisedChild } from '../process/supervise-child.ts';

/** A process that was ended because of another request, or of its GPU, serves this one when it is back, unless parts were sent already. */
export async function* requestInnocently<Request, Part>(
  child: Pick<SupervisedChild<Request, Part>, 'request'>,
  request: Request,
  signal: AbortSignal,
  options: RequestOptions<Part>,
): AsyncGenerator<Part[]> {
  let isShown = false;
  try {
    for await (const parts of child.request(request, signal, options)) {
      isShown = true;
      yield parts;
    }
  } catch (error) {
    if (isShown || !isOthersFault(error)) throw error;
    yield* child.request(request, signal, options);
  }
}

function isOthersFault(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof ChildExited && (cause.killed === 'stuck' || cause.killed === 'broken');
}
