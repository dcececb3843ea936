import { type RawReply, raw } from '../kit/http/index.ts';

export type Outcome = { status: 'connected' | 'failed'; connector: string; text: string };

/** Where the browser goes at the end: back to the application, or to a page that says how it went. */
export function renderOutcome({ status, connector, text }: Outcome, returnUrl?: string | null): RawReply {
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  if (returnUrl) {
    const location = new URL(returnUrl);
    location.searchParams.set('connector', connector);
    location.searchParams.set('status', status);
    return raw('', 'text/plain', { ...headers, location: location.href }, 303);
  }
  const title = status === 'connected' ? 'Connected' : 'Not connected';
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${escapeHtml(text)}</p></html>\n`;
  return raw(
    page,
    'text/html; charset=utf-8',
    { ...headers, 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
    status === 'connected' ? 200 : 400,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
