import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { version } from '../../config/version.ts';
import { findLatestVersion, isNewer } from '../../operator/find-latest-version.ts';
import { run, runJson } from '../run-for-tests.ts';

/** A registry on this machine, and the requests that it gets. */
async function startRegistry(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`, requests };
}

const latest = (number: string) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.end(JSON.stringify({ name: 'tramontane', 'dist-tags': { latest: number }, versions: {} }));

describe('version', () => {
  it.each([[['version']], [['--version']], [['-v']]])('%j prints it', async (args) => {
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('as JSON comes with the version of Node', async () => {
    expect(await runJson(['version'])).toEqual({ code: 0, data: { version, node: process.version } });
  });

  it('asks nobody unless it is told to', async () => {
    const { url, requests } = await startRegistry(latest('99.0.0'));
    await run(['version'], { TRAMONTANE_NPM_REGISTRY: url });
    expect(requests).toEqual([]);
  });
});

describe('version --check', () => {
  it('says that there is a newer version, and sends nothing but the name of the package', async () => {
    const { url, requests } = await startRegistry(latest('99.1.0'));
    const said = await runJson(['version', '--check'], { TRAMONTANE_NPM_REGISTRY: url });
    expect(said).toEqual({
      code: 0,
      data: { version, node: process.version, latest: '99.1.0', update_available: true },
    });
    expect(requests.map(({ method, url: path }) => [method, path])).toEqual([['GET', '/npm/tramontane']]);
    expect(Object.keys(requests[0]?.headers ?? {}).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
    expect((await run(['version', '--check'], { TRAMONTANE_NPM_REGISTRY: url })).stdout).toContain(
      '99.1.0 is available',
    );
  });

  it('says that this is the newest version', async () => {
    const { url } = await startRegistry(latest(version));
    const { stdout } = await run(['version', '--check'], { TRAMONTANE_NPM_REGISTRY: url });
    expect(stdout).toBe(`${version} is the newest version.\n`);
  });

  it("uses npm's own registry and token, from its variables and files", async () => {
    const { url, requests } = await startRegistry(latest('99.0.0'));
    const home = temporaryDir();
    const { host } = new URL(url);
    writeFileSync(join(home, '.npmrc'), `registry=${url}\n//${host}/npm/:_authToken=\${TOKEN}\n`);
    await run(['version', '--check'], { HOME: home, TOKEN: 'from the file' });
    expect(requests[0]?.headers.authorization).toBe('Bearer from the file');
    await run(['version', '--check'], { HOME: temporaryDir(), npm_config_registry: url });
    expect([requests.length, requests[1]?.headers.authorization]).toEqual([2, undefined]);
  });

  it.each([
    [
      'no package',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end('{}'),
      /has no package/,
    ],
    [
      'an error',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(500).end(),
      /responded with 500/,
    ],
    ['a page', (_: IncomingMessage, response: ServerResponse) => void response.end('<html>'), /not the description/],
    [
      'a redirect into the network',
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      /TRAMONTANE_NPM_REGISTRY/,
    ],
  ])('reports a registry that sends %s', async (_what, answer, reason) => {
    const { url } = await startRegistry(answer);
    const { code, stdout, stderr } = await run(['version', '--check'], { TRAMONTANE_NPM_REGISTRY: url });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(reason)]);
  });

  it('gives up on a registry that says nothing', async () => {
    const { url } = await startRegistry(() => undefined);
    await expect(findLatestVersion({ url: `${url}/`, token: undefined }, 50)).rejects.toThrow(
      /TRAMONTANE_NPM_REGISTRY/,
    );
  });

  it('refuses what is not an address', async () => {
    const { code, stderr } = await run(['version', '--check'], { TRAMONTANE_NPM_REGISTRY: 'file:///etc' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be an address')]);
  });

  it.each([
    ['0.2.0', '0.1.9', true],
    ['0.10.0', '0.9.0', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-rc.1', true],
    ['1.0.0-rc.1', '1.0.0', false],
    ['1.0.0-rc.2', '1.0.0-rc.1', true],
    ['0.1.0', '0.2.0', false],
  ])('compares versions: %s over %s is newer: %s', (other, than, expected) => {
    expect(isNewer(other, than)).toBe(expected);
  });
});
