import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(js|css|html|svg|json|txt|map)$/;
/** Smaller files fit into one packet uncompressed. */
const BYTES_MIN = 1024;
const QUALITY = 9;

/** Compressed once at build time, at high quality, instead of at each request. */
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
