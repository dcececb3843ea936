import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';

const DEFAULT_REGISTRY = 'https://registry.npmjs.org/';

export type NpmRegistry = { url: string; token: string | undefined };

/** The npm registry of this machine: TRAMONTANE_NPM_REGISTRY, or what npm itself is configured to use. */
export function readNpmRegistry(environment: Environment): NpmRegistry {
  const given = environment.TRAMONTANE_NPM_REGISTRY?.trim();
  const home = environment.HOME ?? homedir();
  // npm's order: variables, the project's file, the user's file.
  const files = ['.npmrc', variable(environment, 'userconfig') ?? join(home, '.npmrc')];
  const lines = files.flatMap((file) => readLines(file, environment));
  const find = (key: string) => lines.find(([name]) => name === key)?.[1];
  const text = given || variable(environment, 'registry') || find('registry') || DEFAULT_REGISTRY;
  const url = text.endsWith('/') ? text : `${text}/`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new ConfigError('The npm registry must be an address that begins with https:// or http://.');
  const { host, pathname } = new URL(url);
  return { url, token: find(`//${host}${pathname}:_authToken`) ?? find(`//${host}/:_authToken`) };
}

/** npm takes its variables in either case. */
function variable(environment: Environment, key: string): string | undefined {
  const value = environment[`npm_config_${key}`] ?? environment[`NPM_CONFIG_${key.toUpperCase()}`];
  return value?.trim() || undefined;
}

function readLines(file: string, environment: Environment): [string, string][] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text
    .split('\n')
    .map((line) => /^\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line))
    .filter((match) => match !== null)
    .map(([, key = '', value = '']) => [
      key,
      value.replace(/^"(.*)"$/, '$1').replace(/\$\{(\w+)\}/g, (_match, name: string) => environment[name] ?? ''),
    ]);
}
