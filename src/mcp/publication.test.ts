import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { python } from '../../test/support/python.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

const INDEX = '/.well-known/agent-skills/index.json';
const database = sqliteForTests();
let first: TestServer;
let server: TestServer;

beforeAll(async () => {
  first = await startTestServer(database);
  const { workspace } = (await call(first, '/v1/users/me')).body as { workspace: { id: string } };
  const skill = (name: string, more: object) => call(first, '/v2/skills', { body: { name, ...more } });
  const assets = {
    'scripts/run.sh': { textContent: 'echo hello\n', isExecutable: true },
    'ü.md': { textContent: 'x' },
  };
  const shared = { sharingScope: 'workspace', aliases: ['published'] };
  await skill('plain', { definition: { description: 'Just text', body: 'Read on.\n' }, ...shared });
  await skill('with-files', { definition: { description: 'Has files', body: 'Run it.\n', assets }, ...shared });
  await skill('private', { definition: { description: 'x' }, aliases: ['published'] });
  await skill('unpublished', { definition: { description: 'x' }, sharingScope: 'workspace' });
  const definition = { description: 'Just text', body: 'A draft.\n' };
  await call(first, '/v2/skills/plain/versions', { body: { definition } });
  server = await startTestServer(database, { file: { published_workspace: workspace.id } });
});

const get = (path: string, on = server) => call(on, path, { key: '' });
const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
async function download(path: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${server.url}${path}`)).arrayBuffer());
}

describe('200', () => {
  it('shows without a key what is shared and has the alias published, at that version, with the digest of its file [MCP-PUBLISHED]', async () => {
    const { status, body } = await get(INDEX);
    expect(status).toBe(200);
    const { $schema, skills } = body as { $schema: string; skills: { url: string; digest: string; type: string }[] };
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    expect(skills).toMatchObject([
      { name: 'plain', type: 'skill-md', url: '/.well-known/agent-skills/plain/SKILL.md' },
      { name: 'with-files', type: 'archive', url: '/.well-known/agent-skills/with-files/skill.zip' },
    ]);
    for (const { url, digest } of skills) expect(digestOf(await download(url))).toBe(digest);
    expect((await get('/.well-known/agent-skills/plain/SKILL.md')).text).toContain('Read on.');
  });

  it('is the same to the byte in every process [MCP-PUBLISHED]', async () => {
    const again = await startTestServer(database, {
      file: { published_workspace: server.config.file.published_workspace },
    });
    expect((await get(INDEX, again)).text).toBe((await get(INDEX)).text);
  });

  it.runIf(python)('is an archive that other programs unpack', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tramontane-zip-'));
    writeFileSync(join(dir, 'skill.zip'), await download('/.well-known/agent-skills/with-files/skill.zip'));
    const script =
      'import zipfile; z = zipfile.ZipFile("skill.zip"); assert z.testzip() is None; z.extractall(); print(oct(z.getinfo("scripts/run.sh").external_attr >> 16))';
    expect(execFileSync(python ?? '', ['-c', script], { cwd: dir, encoding: 'utf8' }).trim()).toBe('0o100755');
    expect(readFileSync(join(dir, 'SKILL.md'), 'utf8')).toContain('Run it.');
    expect(readFileSync(join(dir, 'ü.md'), 'utf8')).toBe('x');
    expect(statSync(join(dir, 'scripts/run.sh')).isFile()).toBe(true);
  });
});

describe('404', () => {
  it('is all there is where the operator names no workspace [MCP-PUBLISHED]', async () => {
    for (const path of [
      INDEX,
      '/.well-known/agent-skills/plain/SKILL.md',
      '/.well-known/agent-skills/with-files/skill.zip',
    ]) {
      expect([path, (await get(path, first)).status]).toEqual([path, 404]);
    }
  });

  it('is the answer for what is private, not published, or not there, in the same words [MCP-PUBLISHED]', async () => {
    const words = async (name: string, file: string) => {
      const { status, text } = await get(`/.well-known/agent-skills/${name}/${file}`);
      return [status, text.replaceAll(name, '…')];
    };
    for (const file of ['SKILL.md', 'skill.zip']) {
      const missing = await words('nowhere', file);
      expect(missing[0]).toBe(404);
      for (const name of ['private', 'unpublished']) expect(await words(name, file)).toEqual(missing);
    }
  });
});
