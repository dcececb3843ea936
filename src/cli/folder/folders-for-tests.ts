import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { listedModel, startTestServer, type TestServer } from '../../../test/support/server.ts';
import { runHere } from '../run-here-for-tests.ts';

/** A server, with export and import for the key of a workspace. */
export function useFolders() {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests(), { file: { models: [listedModel('m')] } });
  });
  const environment = (key: string) => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: key });
  return {
    server: () => server,
    environment,
    exportTo: (key: string, dir: string, ...options: string[]) =>
      runHere(['export', dir, ...options], environment(key)),
    importFrom: (key: string, dir: string, ...options: string[]) =>
      runHere(['import', dir, ...options], environment(key)),
    read: async (key: string, path: string) => (await call(server, `/v2${path}`, { key })).body,
    async send(key: string, path: string, body: unknown, method = 'POST') {
      const answer = await call(server, `/v2${path}`, { key, body, method });
      if (answer.status !== 200) throw new Error(answer.text);
    },
  };
}

export function writeTree(dir: string, files: Record<string, string | Buffer>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}
