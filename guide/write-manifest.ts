import { createHash } from 'node:crypto';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(html|js|css|svg|json)$/;
/** Smaller files fit into one packet uncompressed. */
const BYTES_MIN = 1024;
const QUALITY = 9;

/** Compresses what a server serves, and lists it with its tags: a server reads nothing that is not on the list. */
export async function writeManifest(target: string, quality = QUALITY): Promise<void> {
  const files: Record<string, { etag: string; compressed: boolean }> = {};
  for await (const entry of glob('**/*', { cwd: target, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const compressed = COMPRESSIBLE.test(entry.name) && bytes.length >= BYTES_MIN;
    if (compressed) {
      const options = { params: { [constants.BROTLI_PARAM_QUALITY]: quality } };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, options));
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: quality }));
    }
    const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    files[relative(target, file).replaceAll('\\', '/')] = { etag, compressed };
  }
  await writeFile(join(target, 'files.json'), JSON.stringify(files));
}
