import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../test/support/rounds.ts';
import { type Client, parseClient, programsDir, readClients } from './read-clients.ts';
import { pagePath, renderPage } from './render-page.ts';
import { isGood, judge, runClient } from './run-client.ts';
import { type ClientsServer, startServer } from './start-server.ts';

const clients = readClients();
const versions: Record<string, string> = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).devDependencies;

describe('the programs', () => {
  it('are of at least fifteen clients, each with exact versions and the first lines to paste', () => {
    expect(clients.length).toBeGreaterThanOrEqual(15);
    for (const { name, packages, snippet } of clients) {
      for (const one of packages) expect([name, one]).toEqual([name, expect.stringMatching(/(==|@|:)\d[\w.]*$/)]);
      expect(snippet.split('\n').length, name).toBeGreaterThan(3);
    }
  });

  it('are what docs/clients.md shows', () => {
    expect(readFileSync(pagePath, 'utf8')).toBe(renderPage(clients));
  });

  it('with a head that says too little are refused', () => {
    expect(() => parseClient('a.py', '# A\n# checks: chat\n\nprint()\n')).toThrow('a.py: the head must have');
    expect(() => parseClient('a.py', '# A\n# install: pip a==1\n# checks: dance\n\nprint()\n')).toThrow('a.py');
  });

  it('fail when a check is missing, or prints something else', () => {
    const checks: Client['checks'] = ['chat', 'tools', 'embeddings'];
    const printed = 'chat: The tramontane, from the north.\ntools: Nobody knows\n';
    expect(judge({ checks }, printed)).toEqual({ tools: 'Nobody knows', embeddings: '(nothing)' });
  });
});

describe('against a started server', () => {
  let server: ClientsServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const here = (file: string) => ({ command: process.execPath, args: [join(programsDir, file)], path: '' });

  it.each(rounds(['mcp-typescript'], ['mistralai-typescript', 'mcp-typescript']))(
    '%s works as its program promises',
    async (name) => {
      const client = clients.find((one) => one.name === name) as Client;
      const [, scoped, version] = /^(@?[^@]+)@(.+)$/.exec(client.packages[0] ?? '') ?? [];
      expect(version).toBe(versions[scoped ?? '']);
      const outcome = await runClient(client, here(client.file), server);
      expect({ ...outcome, isGood: isGood(outcome) }).toMatchObject({ failed: {}, refused: {}, code: 0, isGood: true });
    },
  );

  it('a request that the server refuses is noticed', async () => {
    const client: Client = { ...(clients[0] as Client), checks: [] };
    const ask = `await fetch(process.env.TRAMONTANE_URL + '/v1/nothing')`;
    const outcome = await runClient(client, { command: process.execPath, args: ['-e', ask], path: '' }, server);
    expect(outcome).toMatchObject({ code: 0, refused: { 'GET unmatched 404': 1 } });
    expect(isGood(outcome)).toBe(false);
  });
});
