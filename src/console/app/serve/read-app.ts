import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { Encoding } from '../../../kit/http/index.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

export type AppFile = { type: string; etag: string; bytes: Buffer; encoded: Partial<Record<Encoding, Buffer>> };
/** By path below `/console/`: `index.html`, `assets/index-abc.js`. */
export type AppFiles = ReadonlyMap<string, AppFile>;

/** Loads the whole app into memory, two or three megabytes, so that a rebuild does not affect a running server. */
export async function readApp(dir: string): Promise<AppFiles> {
  const files = new Map<string, AppFile>();
  for await (const entry of glob('**/*', { cwd: dir, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const encoded: AppFile['encoded'] = {};
    if (existsSync(`${file}.br`)) encoded.br = await readFile(`${file}.br`);
    if (existsSync(`${file}.gz`)) encoded.gzip = await readFile(`${file}.gz`);
    files.set(relative(dir, file).replaceAll('\\', '/'), { type, etag, bytes, encoded });
  }
  if (!files.has('index.html')) throw new Error('The build of the console has no index.html.');
  return files;
}
