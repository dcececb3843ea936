const BLOCK = 512;
const REGULAR_TYPES = ['0', '\0'];

/** The files of a small tar archive that is in memory, by absolute path. */
export function readTar(archive: Uint8Array): { path: string; content: Uint8Array }[] {
  const files: { path: string; content: Uint8Array }[] = [];
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = Buffer.from(archive.buffer, archive.byteOffset + at, BLOCK);
    const [name = ''] = header.toString('utf8', 0, 100).split('\0');
    if (name === '') break;
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8) || 0;
    const start = at + BLOCK;
    if (REGULAR_TYPES.includes(header.toString('latin1', 156, 157))) {
      files.push({ path: `/${name}`, content: archive.subarray(start, start + size) });
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
