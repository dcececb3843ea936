import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { SourceFailed } from './errors.ts';

/** Streams one entry of a zip file (a Python wheel is one), checked against its length and CRC. */
export async function* readZipEntry(file: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const zip = await openPromise(file, { autoClose: false }).catch((cause: unknown) => {
    throw new SourceFailed('the package is not a whole zip file', { cause });
  });
  try {
    const entry = await findEntry(zip, path);
    // yauzl decrypts nothing and knows no other compression.
    if (entry.isEncrypted() || ![0, 8].includes(entry.compressionMethod))
      throw new SourceFailed(`the package holds ${path} in a form that cannot be read here`);
    const content = await zip.openReadStreamPromise(entry);
    let crc = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        crc = crc32(chunk, crc);
        yield chunk;
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw new SourceFailed(`the package is damaged at ${path}`, { cause });
    } finally {
      content.destroy();
    }
    if (crc !== entry.crc32) throw new SourceFailed(`the package is damaged at ${path}`);
  } finally {
    zip.close();
  }
}

async function findEntry(zip: ZipFile, path: string): Promise<Entry> {
  try {
    for await (const entry of zip.eachEntry()) if (entry.fileName === path) return entry;
  } catch (cause) {
    throw new SourceFailed('the package is not a whole zip file', { cause });
  }
  throw new SourceFailed(`the package does not hold ${path}`);
}
