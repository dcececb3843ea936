import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { readRegistry } from './read-registry.ts';

function homeWith(npmrc: string): Record<string, string> {
  const home = temporaryDir();
  writeFileSync(join(home, '.npmrc'), npmrc);
  return { HOME: home, npm_config_prefix: home };
}

const addressOf = async (environment: Record<string, string>, cwd = temporaryDir()) =>
  (await readRegistry(environment, cwd)).url.href;

describe('the registry', () => {
  it('is the public one over https unless npm is configured otherwise', async () => {
    expect(await readRegistry({ npm_config_prefix: temporaryDir() }, temporaryDir())).toEqual({
      url: new URL('https://registry.npmjs.org/'),
      authorization: undefined,
    });
  });

  it('comes from the variable before the project before the user, and for the scope before all', async () => {
    const user = homeWith('# mine\nregistry = "https://user.example/npm" \n');
    expect(await addressOf(user)).toBe('https://user.example/npm/');
    const project = temporaryDir();
    writeFileSync(join(project, '.npmrc'), 'registry=https://project.example\n');
    expect(await addressOf(user, project)).toBe('https://project.example/');
    expect(await addressOf({ ...user, NPM_CONFIG_REGISTRY: 'https://variable.example' }, project)).toBe(
      'https://variable.example/',
    );
    const scoped = homeWith('registry=https://user.example\n@node-llama-cpp:registry=https://${HOST}/gpu/\n');
    expect(await addressOf({ ...scoped, HOST: 'scope.example' })).toBe('https://scope.example/gpu/');
  });

  it('that is no address is refused without repeating it', async () => {
    const asked = addressOf({ npm_config_registry: 'secret:pass' });
    await expect(asked).rejects.toThrow(/no https address/);
    await expect(asked).rejects.not.toThrow(/pass/);
  });
});

describe('its credentials', () => {
  it.each([
    ['_authToken=t', 'Bearer t'],
    ['_auth=dTpw', 'Basic dTpw'],
    [`username=u\n//npm.example/a/:_password=${Buffer.from('p').toString('base64')}`, 'Basic dTpw'],
  ])('%j are found at its path', async (line, authorization) => {
    const environment = homeWith(`registry=https://npm.example/a/b/\n//npm.example/a/:${line}\n`);
    expect((await readRegistry(environment, temporaryDir())).authorization).toBe(authorization);
  });

  it('of another host, or for an address without encryption, are not used', async () => {
    const tokens = '//npm.example/:_authToken=t\n//other.example/:_authToken=o\n';
    for (const registry of ['https://third.example', 'http://npm.example']) {
      const environment = homeWith(`registry=${registry}\n${tokens}`);
      expect((await readRegistry(environment, temporaryDir())).authorization).toBeUndefined();
    }
  });
});
