import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { PullFailed } from '../weights/errors.ts';
import { walkTgz } from '../weights/read-tgz.ts';

const ROOT = 'package/';
const FILES_MAX = 1000;
/** No `..`, no drive, no backslash. */
const SAFE_PATH = /^(?!.*(^|\/)\.\.?(\/|$))[\w.@+-]+(\/[\w.@+-]+)*$/;

/** Writes the files of an npm package below `dir`, which must be new. Refuses everything that is not a plain file. */
export async function unpackPackage(
  file: string,
  dir: string,
  { bytesMax, signal }: { bytesMax: number; signal: AbortSignal },
): Promise<void> {
  let bytes = 0;
  let files = 0;
  let writer: ReturnType<typeof createWriteStream> | undefined;
  const close = async () => {
    if (!writer) return;
    const closing = writer;
    writer = undefined;
    closing.end();
    await finished(closing);
  };
  try {
    for await (const { entry, piece } of walkTgz(file, signal)) {
      if (piece) {
        if (writer && !writer.write(piece)) await once(writer, 'drain');
        continue;
      }
      await close();
      if (entry.isDirectory) continue;
      bytes += entry.bytes;
      files += 1;
      if (bytes > bytesMax || files > FILES_MAX) throw refused('it is larger than it should be');
      const path = pathIn(dir, entry);
      await mkdir(dirname(path), { recursive: true });
      // Not over an entry of the same name, and on the disk before the directory gets its final name.
      writer = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    }
    await close();
  } finally {
    writer?.destroy();
  }
}

function pathIn(dir: string, { path, isFile }: { path: string; isFile: boolean }): string {
  const inside = path.startsWith(ROOT) ? path.slice(ROOT.length) : '';
  if (!isFile || !SAFE_PATH.test(inside)) throw refused(`it holds ${JSON.stringify(path.slice(0, 100))}`);
  return join(dir, inside);
}

function refused(reason: string): PullFailed {
  return new PullFailed(`The package was refused, because ${reason}. Nothing was installed.`);
}
