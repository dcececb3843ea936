import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../../test/support/cleanup.ts';
import { temporaryDir } from '../../test/support/databases.ts';

/** Somebody who has never seen our code writes down what he hears. */
export function startRecognizer(python: string) {
  const script = fileURLToPath(new URL('recognize.py', import.meta.url));
  const listener = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  atEnd(async () => {
    listener.stdin.end();
    await once(listener, 'exit');
  });
  const lines = createInterface({ input: listener.stdout })[Symbol.asyncIterator]();
  return async (pieces: Float32Array[], rate: number, language: string): Promise<string> => {
    const file = join(temporaryDir(), 'sound.f32');
    writeFileSync(
      file,
      Buffer.concat(pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))),
    );
    listener.stdin.write(`${JSON.stringify({ file, rate, language })}\n`);
    const { value = '{}' } = await lines.next();
    return (JSON.parse(value) as { text: string }).text;
  };
}

/** The share of the words of a text that were heard, in their order. */
export function shareOfWords(said: string, heard: string): number {
  const [a, b] = [wordsOf(said), wordsOf(heard)];
  // The longest common subsequence, row by row.
  let row = new Array<number>(b.length + 1).fill(0);
  for (const word of a) {
    const next = [0];
    for (const [j, other] of b.entries())
      next.push(word === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return (row.at(-1) ?? 0) / a.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}
