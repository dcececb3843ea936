import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { chooseEncoding, matchesTag, type RawReply, raw } from '../kit/http/index.ts';
import { missingPage, redirect, SECURITY_HEADERS } from './serve-page.ts';

/** By path below the guide. Only what is listed is read. */
export type GuideFiles = ReadonlyMap<string, { etag: string; compressed: boolean }>;
export type RequestHeaders = { 'accept-encoding'?: unknown; 'if-none-match'?: string | undefined };

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.png': 'image/png',
};
const SUFFIXES = { br: '.br', gzip: '.gz' };
/** Asset names change with their contents. */
const FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

export async function serveFile(
  dir: string,
  files: GuideFiles,
  path: string,
  headers: RequestHeaders,
): Promise<RawReply> {
  if (/^reference(\/|$)/.test(path)) return redirect('/docs');
  if (files.has(`${path}/index.html`)) return redirect(`/docs/guide/${path}/`);
  const name = nameOf(files, path);
  const file = files.get(name);
  const type = TYPES[extname(name)];
  if (!file || !type) return missingPage([...files.keys()].find((one) => /^assets\/guide-.*\.css$/.test(one)));
  const shared = {
    ...SECURITY_HEADERS,
    etag: `W/"${file.etag}"`,
    'cache-control': name.startsWith('assets/') ? FOREVER : REVALIDATE,
    vary: 'accept-encoding',
  };
  const known = headers['if-none-match'];
  if (known !== undefined && matchesTag(known, `"${file.etag}"`)) return raw('', type, shared, 304);
  const encoding = chooseEncoding(file.compressed ? ['br', 'gzip'] : [], String(headers['accept-encoding'] ?? ''));
  const bytes = await readFile(join(dir, `${name}${encoding ? SUFFIXES[encoding] : ''}`));
  return raw(bytes, type, encoding ? { ...shared, 'content-encoding': encoding } : shared);
}

/** `workflows` and `workflows.html` are one page; a folder has an index. */
function nameOf(files: GuideFiles, path: string): string {
  if (path === '' || path.endsWith('/')) return `${path}index.html`;
  return files.has(path) ? path : `${path}.html`;
}
