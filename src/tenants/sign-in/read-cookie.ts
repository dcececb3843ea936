import type { IncomingHttpHeaders } from 'node:http';

export function readCookie({ cookie }: IncomingHttpHeaders, wanted: string): string | undefined {
  for (const part of (cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === wanted) return value;
  }
  return undefined;
}
