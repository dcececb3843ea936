import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { atEnd } from '../../../test/support/cleanup.ts';
import { temporaryDir } from '../../../test/support/databases.ts';

export const hasGit = spawnSync('git', ['--version']).status === 0;

const IDENTITY = ['-c', 'user.name=T', '-c', 'user.email=t@x.test', '-c', 'commit.gpgsign=false'];

/** A repository that is served over HTTP, as git servers do it. */
export async function serveRepository() {
  const dir = temporaryDir();
  const git = (...args: string[]) => {
    const { status, stderr, stdout } = spawnSync('git', [...IDENTITY, ...args], { cwd: dir, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  git('init', '-q', '-b', 'main');
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/repo.git/')) return void response.writeHead(404).end();
    const isList = request.url.includes('info/refs');
    const child = spawn('git', ['upload-pack', '--stateless-rpc', ...(isList ? ['--advertise-refs'] : []), dir]);
    response.writeHead(200);
    if (isList) response.write('001e# service=git-upload-pack\n0000');
    child.stdout.pipe(response);
    request.pipe(child.stdin);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    dir,
    git,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/repo.git`,
    /** Returns the id of the commit. */
    commit(files: Record<string, string | Buffer>) {
      for (const [path, content] of Object.entries(files)) writeFileSync(join(dir, path), content);
      git('add', '-A');
      git('commit', '-q', '-m', 'x');
      return git('rev-parse', 'HEAD');
    },
  };
}
