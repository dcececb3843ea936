import { chooseEncoding, type Encoding, matchesTag, type RawReply, raw } from '../../../kit/http/index.ts';
import { consoleErrors } from '../../errors.ts';
import type { AppFile, AppFiles } from './read-app.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Asset names change with their contents. */
const FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

type Conditions = { acceptEncoding: string; ifNoneMatch: string | undefined };

/** The file at this path, or index.html for a page that the app renders itself. */
export function serveFile(files: AppFiles, path: string, given: Conditions): RawReply {
  const isAsset = path.startsWith('assets/');
  if (isAsset && !files.has(path)) throw consoleErrors.console_path_not_found(path);
  const file = files.get(path) ?? (files.get('index.html') as AppFile);
  const encoding = chooseEncoding(Object.keys(file.encoded) as Encoding[], given.acceptEncoding);
  const headers = {
    ...SECURITY_HEADERS,
    etag: file.etag,
    'cache-control': isAsset ? FOREVER : REVALIDATE,
    vary: 'accept-encoding',
  };
  if (given.ifNoneMatch !== undefined && matchesTag(given.ifNoneMatch, file.etag.replace(/^W\//, '')))
    return raw('', file.type, headers, 304);
  const body = (encoding && file.encoded[encoding]) ?? file.bytes;
  return raw(body, file.type, encoding ? { ...headers, 'content-encoding': encoding } : headers);
}

/** Paths of the console's API are never pages of the app. */
export function refuseApi(path: string): void {
  if (path === 'api' || path.startsWith('api/')) throw consoleErrors.console_path_not_found(path);
}
