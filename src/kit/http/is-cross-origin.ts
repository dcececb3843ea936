import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page of another origin sent the request. Browsers leave out `Sec-Fetch-Site` on plain HTTP, and then `Origin`
 * must name our host. Programs other than browsers send neither and cannot be abused this way.
 */
export function isCrossOrigin({ headers, host }: { headers: IncomingHttpHeaders; host: string }): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // A sandboxed page sends "null", which is not a host.
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}
