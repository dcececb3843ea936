import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PullFailed } from '../weights/errors.ts';
import { GPU_SCOPE } from './packages.ts';

export type Registry = { url: URL; authorization: string | undefined };

type Variables = Record<string, string | undefined>;

const DEFAULT_URL = 'https://registry.npmjs.org/';
const PREFIX = /^npm_config_/i;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The registry of npm's configuration, from its variables and files, so that a mirror is set once for both programs.
 * Read here and not by npm, because an installation may have none.
 */
export async function readRegistry(environment: Variables, cwd: string): Promise<Registry> {
  const variables = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    PREFIX.test(name) && value !== undefined ? [[keyOf(name.replace(PREFIX, '')), value]] : [],
  );
  const own = new Map(variables);
  const home = environment.HOME ?? environment.USERPROFILE;
  const prefix = own.get('prefix') ?? '/usr/local';
  const files = [
    own.get('globalconfig') ?? join(prefix, 'etc', 'npmrc'),
    own.get('userconfig') ?? (home && join(home, '.npmrc')),
    join(cwd, '.npmrc'),
  ];
  const settings = new Map<string, string>();
  for (const file of files)
    for (const [key, value] of await readFileSettings(file, environment)) settings.set(key, value);
  for (const [key, value] of own) settings.set(key, value);
  const url = checkUrl(settings.get(`${GPU_SCOPE}:registry`) ?? settings.get('registry') ?? DEFAULT_URL);
  return { url, authorization: isPrivate(url) ? findAuthorization(settings, url) : undefined };
}

/** A password must not travel in the open. */
function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}

// npm writes its variables in any case and with underscores; keys of a registry keep theirs.
function keyOf(name: string): string {
  return name.startsWith('//') || name.startsWith('@') ? name : name.toLowerCase().replaceAll('_', '-');
}

async function readFileSettings(file: string | undefined, environment: Variables): Promise<[string, string][]> {
  const text = file ? await readFile(file, 'utf8').catch(() => '') : '';
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, key, value] = /^\s*([^;#\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [[key, expand(value, environment)]];
  });
}

function expand(value: string, environment: Variables): string {
  const bare = value.replace(/^(["'])(.*)\1$/, '$2');
  return bare.replace(/\$\{([^}]+)\}/g, (whole, name: string) => environment[name] ?? whole);
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new PullFailed(
      `npm's registry is set to something that is no https address. Correct it: npm config get registry`,
    );
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** As npm does: from the registry's own path upwards. */
function findAuthorization(settings: Map<string, string>, url: URL): string | undefined {
  if (url.username) return basic(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`);
  const parts = url.pathname.split('/').filter(Boolean);
  for (let count = parts.length; count >= 0; count--) {
    const place = `//${[url.host, ...parts.slice(0, count)].join('/')}/:`;
    const token = settings.get(`${place}_authToken`);
    if (token) return `Bearer ${token}`;
    const auth = settings.get(`${place}_auth`);
    if (auth) return `Basic ${auth}`;
    const [user, password] = [settings.get(`${place}username`), settings.get(`${place}_password`)];
    if (user && password) return basic(`${user}:${Buffer.from(password, 'base64').toString()}`);
  }
  return undefined;
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
