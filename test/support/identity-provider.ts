import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { atEnd } from './cleanup.ts';

export type Control = {
  /** Claims by subject. */
  accounts: Record<string, Record<string, unknown>>;
  /** Who signs in next. */
  account: string;
  /** The address of the server that people sign in to. */
  base: string;
  /** Claims that replace those of ID tokens; `key: 'another'` signs with a key that is not the provider's. */
  forge: Record<string, unknown>;
  /** How long access tokens last, in seconds. */
  ttl: number;
  client: string;
  /** `refuse` closes connections, `hang` never answers. */
  outage: '' | 'refuse' | 'hang';
};

export type IdentityProvider = {
  issuer: string;
  set(changes: Partial<Control> & { rotate?: boolean }): Promise<void>;
  /** How often each path was asked for since the last call. */
  takeCounts(): Promise<Record<string, number>>;
  /** A logout token with these claims beside those that it must have. */
  makeLogout(claims: Record<string, unknown>): Promise<string>;
  /** A browser that is signed in to the provider as its own site, with its cookies. */
  openBrowser(): ProviderBrowser;
  stop(): Promise<void>;
};
export type ProviderBrowser = {
  /** Follows redirects within the provider; returns the address at which it leaves. */
  visit(url: string): Promise<string>;
  /** The provider's own page for signing out, confirmed. */
  signOut(url: string): Promise<void>;
};

/** Started as a process of its own, as a real provider is. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const script = fileURLToPath(new URL('./identity-provider-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  atEnd(stop);
  const [issuer] = (await once(createInterface(child.stdout), 'line')) as [string];
  const control = async (body: object) =>
    (await (await fetch(`${issuer}/control`, { method: 'POST', body: JSON.stringify(body) })).json()) as {
      counts: Record<string, number>;
      logout: string;
    };
  return {
    issuer,
    set: async (changes) => void (await control(changes)),
    takeCounts: async () => (await control({ takeCounts: true })).counts,
    makeLogout: async (claims) => (await control({ logout: claims })).logout,
    openBrowser: () => openProviderBrowser(issuer),
    stop,
  };
}

function openProviderBrowser(issuer: string): ProviderBrowser {
  const cookies = new Map<string, string>();
  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }
  return {
    async visit(start) {
      for (let url = start; ; ) {
        if (new URL(url).origin !== issuer) return url;
        const response = await send(url);
        const location = response.headers.get('location');
        if (location === null) throw new Error(`The provider ended with ${response.status}: ${await response.text()}`);
        url = new URL(location, url).href;
      }
    },
    async signOut(url) {
      const page = await (await send(url)).text();
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
      const body = new URLSearchParams({ xsrf, logout: 'yes' });
      const response = await send(new URL(action, url).href, { method: 'POST', body });
      if (response.status >= 400) throw new Error(`The provider did not sign out: ${await response.text()}`);
    },
  };
}
