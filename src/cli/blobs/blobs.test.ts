import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mistral } from '@mistralai/mistralai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSqliteOrFull, onEachDatabase, sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { hasStore, startStore, type TestStore } from '../../../test/support/s3.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { openBlobs } from '../../compose/open-blobs.ts';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';

const LINE = `${JSON.stringify({ custom_id: '1', body: { messages: [{ role: 'user', content: 'hi' }] } })}\n`;
const CONTENT = LINE.repeat(3);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
const dataDir = () => join(temporaryDir(), 'data');

describe.runIf(hasStore)('blobs', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await startStore();
  });
  afterAll(() => store?.stop());
  let places = 0;
  const newPlace = () => ({ ...store.environment, TRAMONTANE_BLOBS: `s3://test/place-${places++}` });

  onEachDatabase('a server with files in a store', (database) => {
    let key: string;
    test.runIf(isSqliteOrFull(database))(
      'an upload of the SDK is in the store, and every server on it serves the file',
      async () => {
        const environment = newPlace();
        const first = await startTestServer(database, { environment });
        key = first.key;
        const sdk = new Mistral({ serverURL: first.url, apiKey: key });
        const file = { fileName: 'requests.jsonl', content: Buffer.from(CONTENT) };
        const { id } = await sdk.files.upload({ file, purpose: 'batch' });
        expect(existsSync(join(first.config.dataDir, 'blobs', 'files'))).toBe(false);
        expect(await openBlobs(first.config, 'files').verify(SHA256)).toBe(true);
        const read = async (url: string) => {
          const other = new Mistral({ serverURL: url, apiKey: key });
          return new Response(await other.files.download({ fileId: id })).text();
        };
        expect(await read(first.url)).toBe(CONTENT);
        // SQLite belongs to one server, which starts again with the store and without its old data dir's files.
        if (database.options.kind === 'sqlite') await first.stop();
        const { url } = await startTestServer(database, { environment });
        expect(await read(url)).toBe(CONTENT);
      },
    );

    test.runIf(isSqliteOrFull(database))(
      'a store that went away is a clear refusal, and the server lives',
      async () => {
        const environment = { ...newPlace(), AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' };
        const server = await startTestServer(database, { environment });
        const form = new FormData();
        form.set('purpose', 'batch');
        form.set('file', new Blob([CONTENT]), 'requests.jsonl');
        const headers = { authorization: `Bearer ${key}` };
        const answer = await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form });
        expect(answer.status).toBe(503);
        expect(JSON.stringify(await answer.json())).not.toContain('test-secret');
        expect((await fetch(`${server.url}/v1/files`, { headers })).status).toBe(200);
      },
    );
  });

  test('copies an installation to the store and back, and says what is damaged', async () => {
    const environment: Environment = {
      ...store.environment,
      TRAMONTANE_BLOBS: undefined,
      TRAMONTANE_DATA_DIR: dataDir(),
    };
    const local = openBlobs(loadConfig(environment), 'files');
    await local.put(Buffer.from(CONTENT));
    await openBlobs(loadConfig(environment), 'voices').put(Buffer.from('a voice'));
    const address = `s3://test/copied-${places++}`;
    expect((await runJson(['blobs', 'copy', 'data-dir', address], environment)).data).toMatchObject({
      copied: 2,
      present: 0,
    });
    expect((await runJson(['blobs', 'copy', 'data-dir', address], environment)).data).toMatchObject({
      copied: 0,
      present: 2,
    });
    const back: Environment = { ...environment, TRAMONTANE_DATA_DIR: dataDir() };
    expect((await run(['blobs', 'copy', address, 'data-dir'], back)).stdout).toContain('unset TRAMONTANE_BLOBS');
    expect(await openBlobs(loadConfig(back), 'files').verify(SHA256)).toBe(true);

    const file = join(environment.TRAMONTANE_DATA_DIR ?? '', 'blobs/files', SHA256.slice(0, 2), SHA256.slice(2));
    writeFileSync(file, 'damaged');
    const { code, data } = await runJson(['blobs', 'copy', 'data-dir', `s3://test/copied-${places++}`], environment);
    expect({ code, data }).toMatchObject({ code: 1, data: { copied: 1, damaged: [`files/${SHA256}`] } });
    const same = await run(['blobs', 'copy', 'data-dir', 'data-dir'], environment);
    expect(same).toMatchObject({ code: 1, stderr: expect.stringContaining('the same') });
    const wrong = await run(['blobs', 'copy', 'data-dir', 's3://UPPER'], environment);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must look like s3://bucket/prefix') });
  });

  test('a backup has what is in the store, and restores into another store or a data dir', async () => {
    const { environment } = await preparePlatform(sqliteForTests());
    const source: Environment = { ...environment, ...newPlace() };
    await openBlobs(loadConfig(source), 'files').put(Buffer.from(CONTENT));
    const dir = join(temporaryDir(), 'backup');
    expect((await runJson(['backup', dir], source)).data).toMatchObject({ files: 2 });
    expect((await runJson(['restore', dir, '--verify'], source)).data).toMatchObject({ ok: true });
    for (const place of [newPlace(), { TRAMONTANE_BLOBS: undefined }]) {
      const target: Environment = { ...source, ...place, TRAMONTANE_DATA_DIR: dataDir() };
      expect((await run(['restore', dir], target)).code).toBe(0);
      expect(await openBlobs(loadConfig(target), 'files').verify(SHA256)).toBe(true);
    }
  });

  test('doctor tries the store', async () => {
    const environment: Environment = { ...newPlace(), TRAMONTANE_DATA_DIR: dataDir() };
    expect((await run(['doctor'], environment)).stdout).toMatch(/store.*can be written and read/);
    const dead = await run(['doctor'], { ...environment, AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect(dead.stdout).toMatch(/store.*(SignatureDoesNotMatch|AccessDenied)/);
    expect(dead.code).toBe(1);
  });
});
