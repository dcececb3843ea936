import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { pythonWithMcp } from '../../test/support/python.ts';
import { isFull } from '../../test/support/rounds.ts';
import { type ProgramOptions, startProgram } from '../engines/sandbox/index.ts';
import { bubblewrap } from '../engines/sandbox/sandboxes-for-tests.ts';
import { callOnce, failureOf, here, serveConnector } from './serve-for-tests.ts';

const FROM_NPM = [
  ...['everything', 'filesystem', 'memory', 'sequential-thinking'].map(
    (name) => `@modelcontextprotocol/server-${name}@2026.8.31`,
  ),
  '@notionhq/notion-mcp-server@2.5.2',
  '@upstash/context7-mcp@4.1.1',
];
const FROM_PYPI = ['mcp-server-time==2026.10.19', 'mcp-server-fetch==2026.10.24', 'mcp-server-git==2026.10.19'];
/** Needs another version of the protocol's package than the servers behind it. */
const PROXY = 'mcp-proxy==0.13.0';
const MEBIBYTE = 1024 * 1024;
/** Kept between runs, because installing takes a minute. */
const dir = join(tmpdir(), 'tramontane-mcp-servers-2');
const isInstalled = existsSync(join(dir, 'installed'));
const runs = isFull || isInstalled;

function install(): void {
  if (existsSync(join(dir, 'installed'))) return;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{"private":true}');
  const quietly = { cwd: dir, stdio: 'pipe' as const };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...FROM_NPM], quietly);
  execFileSync(pythonWithMcp ?? 'python3', ['-m', 'venv', 'py'], quietly);
  execFileSync(join(dir, 'py/bin/pip'), ['install', '--quiet', ...FROM_PYPI], quietly);
  execFileSync(pythonWithMcp ?? 'python3', ['-m', 'venv', 'proxy'], quietly);
  execFileSync(join(dir, 'proxy/bin/pip'), ['install', '--quiet', PROXY], quietly);
  writeFileSync(join(dir, 'installed'), '');
}

function temporary(): string {
  const made = mkdtempSync(join(tmpdir(), 'connectors-real-'));
  atEnd(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A program of npm or PyPI as a connector. */
function serve(name: string, args: string[] = [], given: Partial<ProgramOptions> = {}) {
  const isPython = existsSync(join(dir, 'py/bin', name));
  const command = isPython
    ? [join(dir, 'py/bin/python'), join(dir, 'py/bin', name)]
    : [process.execPath, realpathSync(join(dir, 'node_modules/.bin', name))];
  const base = isPython
    ? execFileSync(join(dir, 'py/bin/python'), ['-c', 'import sys; print(sys.base_prefix)'], {
        encoding: 'utf8',
      }).trim()
    : process.execPath;
  return serveConnector(
    { url: 'stdio:wiki', stdio: { env: {}, concurrency: 4 }, timeout_seconds: 60 },
    {
      startProgram: (_id, environment) =>
        startProgram({
          bubblewrap: bubblewrap ?? '',
          command: [...command, ...args],
          environment: { ...given.environment, ...environment },
          hasNetwork: given.hasNetwork ?? false,
          readable: [dir, base, ...(given.readable ?? [])],
          writable: given.writable ?? [],
          memoryBytes: 512 * MEBIBYTE,
          processesMax: 64,
        }),
    },
  ).service;
}

const use = (service: ReturnType<typeof serve>, tool: string, args: Record<string, unknown>) =>
  callOnce(service, { tool, arguments: args });

describe.runIf(runs && bubblewrap)('servers of others, as programs in the sandbox', { timeout: 300_000 }, () => {
  beforeAll(install, 300_000);

  it('everything (npm) echoes, adds and shows a picture', async () => {
    const service = serve('mcp-server-everything', ['stdio']);
    expect(await use(service, 'echo', { message: 'salut' })).toContain('salut');
    expect(await use(service, 'get-sum', { a: 2, b: 40 })).toContain('42');
    expect(await use(service, 'get-tiny-image', {})).toContain('[file]');
  });

  it('filesystem (npm) reads what the operator granted, and nothing else', async () => {
    const folder = temporary();
    writeFileSync(join(folder, 'wind.txt'), 'From the north.');
    const service = serve('mcp-server-filesystem', [folder], { readable: [folder] });
    expect(await use(service, 'read_text_file', { path: join(folder, 'wind.txt') })).toContain('From the north.');
    expect(await use(service, 'write_file', { path: join(folder, 'a'), content: 'x' })).toContain('EROFS');
  });

  it('memory (npm) keeps what it learned in a directory that it may write', async () => {
    const folder = temporary();
    const given = { writable: [folder], environment: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
    const entities = [{ name: 'Tramontane', entityType: 'wind', observations: ['from the north'] }];
    await use(serve('mcp-server-memory', [], given), 'create_entities', { entities });
    expect(await use(serve('mcp-server-memory', [], given), 'read_graph', {})).toContain('from the north');
  });

  it('sequential-thinking (npm) takes a thought', async () => {
    const thought = { thought: 'First', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    expect(await use(serve('mcp-server-sequential-thinking'), 'sequentialthinking', thought)).toContain(
      'thoughtNumber',
    );
  });

  it('time (PyPI) tells the time of a place', async () => {
    const service = serve('mcp-server-time', ['--local-timezone', 'UTC']);
    expect(await use(service, 'get_current_time', { timezone: 'Europe/Paris' })).toContain('Europe/Paris');
  });

  it('git (PyPI) reads the history of a repository that it may read', async () => {
    const folder = temporary();
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
    git('init', '-q');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'First wind');
    const service = serve('mcp-server-git', ['--repository', folder], { readable: [folder] });
    expect(await use(service, 'git_log', { repo_path: folder })).toContain('First wind');
  });

  it('fetch (PyPI) reaches a page only with the network', async () => {
    const server = createServer((_request, response) => response.end('A page about wind.')).listen(0, '127.0.0.1');
    atEnd(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`;
    const args = ['--ignore-robots-txt', '--allow-private-ips'];
    expect(await use(serve('mcp-server-fetch', args, { hasNetwork: true }), 'fetch', { url, raw: true })).toContain(
      'about wind',
    );
    const alone = await use(serve('mcp-server-fetch', args), 'fetch', { url }).catch((error: Error) => error.message);
    expect(alone).not.toContain('about wind');
  });
});

describe.runIf(runs)('servers of others, over the network', { timeout: 300_000 }, () => {
  beforeAll(install, 300_000);

  it.each([
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ])('everything (npm): %s', async (mode, path) => {
    const port = await freePort();
    await startNode('mcp-server-everything', [mode], { PORT: String(port) }, port);
    const service = at(port, path);
    expect((await service.connect(here, 'wiki')).tools.length).toBeGreaterThan(5);
    expect(await use(service, 'echo', { message: 'salut' })).toContain('salut');
    expect(await use(service, 'echo', { message: 'encore' })).toContain('encore');
    expect(await failureOf(use(service, 'no-such-tool', {}))).toMatchObject({ status: 400 });
  });

  it('notion (npm) wants its token, and shows its tools with it', async () => {
    const port = await freePort();
    const args = ['--transport', 'http', '--port', String(port), '--auth-token', 'the-token-of-notion'];
    await startNode('notion-mcp-server', args, { NOTION_TOKEN: 'ntn_none' }, port);
    expect(await failureOf(at(port, '/mcp').connect(here, 'wiki'))).toMatchObject({ status: 502 });
    const { tools, close } = await at(port, '/mcp', { Authorization: 'Bearer the-token-of-notion' }).connect(
      here,
      'wiki',
    );
    expect(tools.length).toBeGreaterThan(5);
    await close();
  });

  it('context7 (npm) shows its tools', async () => {
    const port = await freePort();
    await startNode('context7-mcp', ['--transport', 'http', '--port', String(port)], {}, port);
    const { tools, close } = await at(port, '/mcp').connect(here, 'wiki');
    expect(tools.map(({ name }) => name).join(' ')).toMatch(/resolve|docs/);
    await close();
  });

  it.each(['/servers/time/mcp', '/servers/time/sse'])(
    'mcp-proxy (PyPI) in front of time (PyPI), and git beside it: %s',
    async (path) => {
      const folder = temporary();
      const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
      git('init', '-q');
      git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'First wind');
      const port = await freePort();
      const program = (name: string) => join(dir, 'py/bin', name);
      const named = [
        ...['--named-server', 'time', `${program('mcp-server-time')} --local-timezone UTC`],
        ...['--named-server', 'git', `${program('mcp-server-git')} --repository ${folder}`],
      ];
      const child = spawn(join(dir, 'proxy/bin/mcp-proxy'), ['--port', String(port), ...named], { stdio: 'ignore' });
      atEnd(() => void child.kill());
      await listening(port);
      const given = { timezone: 'Europe/Paris' };
      expect(await use(at(port, path), 'get_current_time', given)).toContain('Europe/Paris');
      const log = at(port, path.replace('time', 'git'));
      expect(await use(log, 'git_log', { repo_path: folder })).toContain('First wind');
    },
  );
});

/** A connector at a server that listens here. */
function at(port: number, path: string, headers: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${port}${path}`;
  return serveConnector({ url, headers, timeout_seconds: 30 }, { allow: [`127.0.0.1:${port}`] }).service;
}

async function startNode(name: string, args: string[], env: Record<string, string>, port: number): Promise<void> {
  const program = realpathSync(join(dir, 'node_modules/.bin', name));
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'ignore' });
  atEnd(() => void child.kill());
  await listening(port);
}

/** Resolves once somebody accepts connections. */
async function listening(port: number): Promise<void> {
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5000) }), {
    timeout: 60_000,
    interval: 200,
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
