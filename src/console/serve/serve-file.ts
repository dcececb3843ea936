import { ApiError, matchesTag, type RawReply, raw } from '../../kit/http/index.ts';
import type { AppFile, AppFiles, Encoding } from './read-app.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Their names change with their contents. */
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

type Asked = { acceptEncoding: string; ifNoneMatch: string | undefined };

/** The file, or the page itself for an address that the app knows and no file has. */
export function serveFile(files: AppFiles, path: string, asked: Asked): RawReply {
  const isAsset = path.startsWith('assets/');
  if (isAsset && !files.has(path)) throw nothingAt(path);
  const file = files.get(path) ?? (files.get('index.html') as AppFile);
  const encoding = chooseEncoding(file, asked.acceptEncoding);
  const headers = {
    ...SECURITY_HEADERS,
    etag: file.etag,
    'cache-control': isAsset ? FOREVER : ASK_AGAIN,
    vary: 'accept-encoding',
  };
  if (asked.ifNoneMatch !== undefined && matchesTag(asked.ifNoneMatch, file.etag.replace(/^W\//, '')))
    return raw('', file.type, headers, 304);
  const body = (encoding && file.encoded[encoding]) ?? file.bytes;
  return raw(body, file.type, encoding ? { ...headers, 'content-encoding': encoding } : headers);
}

/** What belongs to the API is no page of the app, whatever state that is in. */
export function refuseApi(path: string): void {
  if (path === 'api' || path.startsWith('api/')) throw nothingAt(path);
}

function nothingAt(path: string): ApiError {
  return new ApiError(404, `There is no /console/${path.slice(0, 200)} here.`);
}

function chooseEncoding({ encoded }: AppFile, accepted: string): Encoding | undefined {
  const names = accepted.split(',').map((part) => part.trim().split(';'));
  const isAccepted = (name: string) => names.some(([given, q]) => given === name && !/^\s*q=0(\.0+)?$/.test(q ?? ''));
  return (['br', 'gzip'] as const).find((name) => encoded[name] && isAccepted(name));
}
