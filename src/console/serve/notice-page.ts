import { type RawReply, raw } from '../../kit/http/index.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const RELOAD_SECONDS = 2;

/** While there is no app to serve: why, and what to do. What went wrong in detail is for the log. */
const NOTICES = {
  building: {
    title: 'The console is being built',
    text: 'This happens once after an install or an update and takes less than half a minute. The page opens by itself. The API is ready.',
  },
  failed: {
    title: 'The console could not be built',
    text: 'The API works as always. Whoever runs the server finds the reason in its log, and tries again with <code>npx tramontane console build</code> and a new start.',
  },
  off: {
    title: 'The console is switched off',
    text: 'Whoever runs the server can switch it on: TRAMONTANE_CONSOLE=on. The API works as always.',
  },
} as const;

export type Notice = keyof typeof NOTICES;

export function noticePage(notice: Notice): RawReply {
  const { title, text } = NOTICES[notice];
  const refresh = notice === 'building' ? `\n    <meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : '';
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">${refresh}
    <title>${title}</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/docs">The reference of the API</a></p>
    </main>
  </body>
</html>
`;
  const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'retry-after': String(RELOAD_SECONDS) };
  return raw(page, 'text/html; charset=utf-8', headers, notice === 'off' ? 404 : 503);
}
