import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(js|css|html|svg|json|txt|map)$/;
/** Less than this fits into one packet anyway. */
const BYTES_MIN = 1024;
const QUALITY = 9;

/** Once at build time and well, instead of at each request and quickly. */
export async function compressFiles(dir: string): Promise<void> {
  for await (const entry of glob('**/*', { cwd: dir, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    if (bytes.length < BYTES_MIN) continue;
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, options));
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: QUALITY }));
  }
}
