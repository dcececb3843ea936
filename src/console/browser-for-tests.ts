import { type Answer, call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';
import type { ConsoleSession } from './schema/session.ts';

export const PASSWORD = 'correct horse battery';

type Options = { method?: string; body?: unknown; headers?: Record<string, string>; csrf?: string | null };

/** Stores the session cookie and the CSRF token, and sends them as the console does. */
export type TestBrowser = {
  cookie: string;
  /** The cookie by which accounts know the browser. */
  device: string;
  session: ConsoleSession | undefined;
  ask(path: string, options?: Options): Promise<Answer>;
  /** Uses the link with the password. */
  openLink(path: string, more?: Record<string, unknown>): Promise<Answer>;
  signIn(email: string, password?: string, code?: string): Promise<Answer>;
};

export function openBrowser(server: Pick<TestServer, 'url' | 'key'>): TestBrowser {
  const browser: TestBrowser = {
    cookie: '',
    device: '',
    session: undefined,
    async ask(path, { method, body, headers = {}, csrf = browser.session?.csrf_token ?? null } = {}) {
      const answer = await call(server, path, {
        key: '',
        ...(method && { method }),
        ...(body !== undefined && { body }),
        headers: {
          ...((browser.cookie || browser.device) && {
            cookie: [browser.cookie, browser.device].filter(Boolean).join('; '),
          }),
          ...(csrf && { 'x-csrf-token': csrf }),
          ...headers,
        },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        if (pair.startsWith('tramontane_session=')) browser.cookie = pair;
        if (pair.startsWith('tramontane_device=')) browser.device = pair;
      }
      return answer;
    },
    openLink: (path, more = {}) =>
      keep(
        browser.ask(path.replace('/console/link/', '/console/api/links/'), { body: { password: PASSWORD, ...more } }),
      ),
    signIn: (email, password = PASSWORD, code) =>
      keep(browser.ask('/console/api/session', { body: { email, password, ...(code !== undefined && { code }) } })),
  };
  async function keep(asked: Promise<Answer>): Promise<Answer> {
    const answer = await asked;
    if (answer.status === 200) browser.session = answer.body as ConsoleSession;
    return answer;
  }
  return browser;
}

/** The owner, signed in by the link of the first start. */
export async function signInOwner(server: TestServer): Promise<TestBrowser> {
  const browser = openBrowser(server);
  const { bootstrap } = server;
  const answer = await browser.openLink(bootstrap.created ? bootstrap.link.path : '');
  if (answer.status !== 200) throw new Error(`the link of the first start was refused: ${answer.text}`);
  return browser;
}
