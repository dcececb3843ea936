import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser says that a page of another origin sent the request. `Sec-Fetch-Site` is the browser's own judgement;
 * browsers leave it out on plain HTTP beyond the own machine, and then `Origin` must name the host that was asked. A
 * program that is no browser sends neither and is nobody's deputy.
 */
export function isFromElsewhere({ headers, host }: { headers: IncomingHttpHeaders; host: string }): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined) return false;
  // A sandboxed page sends the word "null", which is no host.
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}
