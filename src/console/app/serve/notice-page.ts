import { type RawReply, raw } from '../../../kit/http/index.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const RELOAD_SECONDS = 2;

/** Shown while there is no app to serve. Details of a failure are only in the log. */
const NOTICES = {
  building: {
    title: 'The console is being built',
    text: 'This happens once after an install or an update and takes less than half a minute. The page opens by itself. The API is ready.',
  },
  failed: {
    title: 'The console could not be built',
    text: 'The API is not affected. The operator finds the reason in the log of the server; <code>npx tramontane console build</code> and a restart try again.',
  },
  off: {
    title: 'The console is switched off',
    text: 'The operator can switch it on with TRAMONTANE_CONSOLE=on. The API is not affected.',
  },
} as const;

export type Notice = keyof typeof NOTICES;

/** A file of its own: the content security policy allows no inline styles. */
const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f4f7f9, #161d20); }
main { max-width: 26rem; margin: 1rem; padding: 2rem; border-radius: 12px; background: light-dark(#fff, #1e272b); }
h1 { margin: 0 0 0.75rem; font-size: 1.25rem; }
p { margin: 0 0 0.75rem; }
a { color: light-dark(#0c5f6c, #69c7d5); }
`;

export const NOTICE_STYLE_PATH = 'notice.css';

export function noticeStyle(): RawReply {
  return raw(STYLE, 'text/css; charset=utf-8', { ...SECURITY_HEADERS, 'cache-control': 'no-cache' });
}

export function noticePage(notice: Notice): RawReply {
  const { title, text } = NOTICES[notice];
  const refresh = notice === 'building' ? `\n    <meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : '';
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">${refresh}
    <link rel="stylesheet" href="/console/notice.css">
    <title>${title}</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/docs">API reference</a></p>
    </main>
  </body>
</html>
`;
  const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'retry-after': String(RELOAD_SECONDS) };
  return raw(page, 'text/html; charset=utf-8', headers, notice === 'off' ? 404 : 503);
}
