import { judgeRefusal } from './judge-answer.ts';
import { jsonOperations } from './operations.ts';
import { note, send, type Trials } from './trial.ts';

const MIB = 1024 * 1024;
const WITHIN = [400, 403, 404, 422];

/** Bodies of one byte less than the limit, of the limit, and of one byte more, with and without an announced length. */
export async function trySizes(trials: Trials, quick: boolean, progress: (text: string) => void): Promise<void> {
  const seen = new Set<number>();
  for (const operation of jsonOperations()) {
    const { bytesMax, name } = operation;
    if (quick && (seen.has(bytesMax) || bytesMax > 10 * MIB)) continue;
    seen.add(bytesMax);
    progress(`limits: sizes of ${name}`);
    for (const [bytes, allowed] of [
      [bytesMax - 1, WITHIN],
      [bytesMax, WITHIN],
      [bytesMax + 1, [413]],
    ] as const) {
      const body = documentOf(bytes);
      for (const isChunked of quick || bytesMax > 40 * MIB ? [false] : [false, true]) {
        const answered = await send(trials.served, operation, body, { isChunked });
        note(trials, `${name}, ${bytes} bytes${isChunked ? ' in chunks' : ''}`, judgeRefusal(answered, allowed));
      }
    }
  }
}

function documentOf(bytes: number): Buffer {
  const body = Buffer.alloc(bytes, 'a');
  body.write('{"x":"', 0, 'latin1');
  body.write('"}', bytes - 2, 'latin1');
  return body;
}
