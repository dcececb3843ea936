import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { type FileBody, send, upload, uploaded } from './upload-for-tests.ts';

const MISSING = '01890000-0000-7000-8000-000000000000';
const JSONL = '{"custom_id":"1"}\n{"custom_id":"2"}\n{"custom_id":"3"}';

onEachDatabase('/v1/files', (database) => {
  let server: TestServer;
  let colleague: string;
  let billing: string;
  let stranger: string;
  beforeAll(async () => {
    server = await startTestServer(database, { file: { server: { file_limit_mib: 1 } } });
    colleague = await addColleague(server);
    billing = await addColleague(server, 'billing');
    stranger = await addStranger(server);
  });

  const list = async (query = '', key = server.key) =>
    (await call(server, `/v1/files${query}`, { key })).body as { data: FileBody[]; object: string; total: number };
  const filesOnDisk = () => {
    const dir = join(server.config.dataDir, 'blobs', 'files');
    return existsSync(dir) ? readdirSync(dir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile()) : [];
  };
  /** Others may go meanwhile: contents are removed some time after their files. */
  const filesAdded = (known: ReturnType<typeof filesOnDisk>) => {
    const names = new Set(known.map(({ name }) => name));
    return filesOnDisk().filter(({ name }) => !names.has(name));
  };

  describe('200', () => {
    it('uploads a file and tells every field [FILES-UPLOAD] [FILES-FIELDS] [FILES-VISIBILITY-WORKSPACE]', async () => {
      const before = Math.floor(Date.now() / 1000);
      const file = await uploaded(
        server,
        JSONL,
        { purpose: 'batch' },
        { filename: 'Anfragen (1).jsonl', type: 'application/jsonl' },
      );
      expect(file).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
        object: 'file',
        bytes: 53,
        created_at: expect.any(Number),
        filename: 'Anfragen (1).jsonl',
        purpose: 'batch',
        sample_type: 'batch_request',
        num_lines: 3,
        mimetype: 'application/jsonl',
        source: 'upload',
        signature: createHash('sha256').update(JSONL).digest('hex'),
        expires_at: null,
        visibility: 'workspace',
      });
      expect(file.created_at).toBeGreaterThanOrEqual(before);
    });

    it.each([
      ['fine-tune', 'instruct', 3],
      ['batch', 'batch_request', 3],
      ['ocr', 'pretrain', null],
      [undefined, 'instruct', 3],
    ])('the purpose %s makes it %s [FILES-PURPOSE]', async (purpose, sample_type, num_lines) => {
      const file = await uploaded(server, JSONL, purpose ? { purpose } : {});
      expect(file).toMatchObject({ purpose: purpose ?? 'fine-tune', sample_type, num_lines });
    });

    it.runIf(isSqliteOrFull(database))('takes the fields before or after the file [FILES-UPLOAD]', async () => {
      const form = new FormData();
      form.append('visibility', 'user');
      form.append('file', new Blob(['x']), 'x.pdf');
      form.append('purpose', 'ocr');
      expect(await send(server, form)).toMatchObject({ status: 200, body: { purpose: 'ocr', visibility: 'user' } });
    });

    it.runIf(isSqliteOrFull(database))(
      'gives the bytes back as they came, to be saved and not shown [FILES-CONTENT]',
      async () => {
        const content = randomBytes(700_000);
        const { id } = await uploaded(server, content, {}, { filename: "ö 'q'%;(1).html", type: 'text/html' });
        const answer = await fetch(`${server.url}/v1/files/${id}/content`, {
          headers: { authorization: `Bearer ${server.key}` },
        });
        expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'content-type': 'application/octet-stream',
          'content-length': '700000',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'content-disposition': `attachment; filename="_ 'q'_;(1).html"; filename*=UTF-8''%C3%B6%20%27q%27%25%3B%281%29.html`,
        });
      },
    );

    it('keeps an empty file, and the same content twice as two files of one blob', async () => {
      const empty = await uploaded(server, '');
      expect(empty).toMatchObject({ bytes: 0, num_lines: 0 });
      const known = filesOnDisk();
      const again = await uploaded(server, '');
      expect(again.id).not.toBe(empty.id);
      expect(filesAdded(known)).toEqual([]);
      await call(server, `/v1/files/${empty.id}`, { method: 'DELETE' });
      expect((await call(server, `/v1/files/${again.id}/content`)).text).toBe('');
    });

    it.runIf(isSqliteOrFull(database))('answers HEAD with the headers of the content', async () => {
      const { id } = await uploaded(server, 'hello');
      const answer = await call(server, `/v1/files/${id}/content`, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-length'), answer.text]).toEqual([200, '5', '']);
    });

    it('reads one, deletes it, and it is gone [FILES-GET] [FILES-DELETE]', async () => {
      const file = await uploaded(server, 'short');
      expect((await call(server, `/v1/files/${file.id}`)).body).toEqual({ ...file, deleted: false });
      const deletion = await call(server, `/v1/files/${file.id}`, { method: 'DELETE' });
      expect(deletion).toMatchObject({ status: 200, body: { id: file.id, object: 'file', deleted: true } });
      for (const path of ['', '/content', '/url'])
        expect((await call(server, `/v1/files/${file.id}${path}`)).status).toBe(404);
      expect((await call(server, `/v1/files/${file.id}`, { method: 'DELETE' })).status).toBe(404);
    });

    it('makes the same upload once for one Idempotency-Key', async () => {
      const headers = { 'idempotency-key': `upload-${database.kind}` };
      const first = await upload(server, 'once', {}, { headers });
      const again = await upload(server, 'once', {}, { headers });
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(await upload(server, 'other content', {}, { headers })).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'idempotency_key_reused' }] },
      });
    });
  });

  describe('the list', () => {
    let mine: FileBody[];
    beforeAll(async () => {
      const { data } = await list('?page_size=1000');
      for (const { id } of data) await call(server, `/v1/files/${id}`, { method: 'DELETE' });
      mine = [];
      mine.push(
        await uploaded(server, 'a', { purpose: 'batch' }, { filename: 'alpha.jsonl', type: 'application/jsonl' }),
      );
      mine.push(
        await uploaded(server, 'b', { purpose: 'ocr' }, { filename: 'ÄRGER_100%.PDF', type: 'application/pdf' }),
      );
      mine.push(await uploaded(server, 'c', { purpose: 'ocr' }, { filename: 'scan.png', type: 'image/png' }));
      await uploaded(server, 'd', { visibility: 'user' }, { key: colleague });
      await uploaded(server, 'e', {}, { key: stranger });
      mine.reverse();
    });
    const names = async (query: string) => (await list(query)).data.map(({ filename }) => filename);

    it('has the files of the workspace, newest first, with their number [FILES-LIST] [FILES-LIST-TOTAL]', async () => {
      expect(await list()).toEqual({ object: 'list', data: mine, total: 3 });
      expect((await list('?include_total=false')).total).toBeNull();
    });

    it('comes in pages from 0 [FILES-LIST]', async () => {
      expect((await list('?page_size=2')).data).toEqual(mine.slice(0, 2));
      expect(await list('?page_size=2&page=1')).toEqual({ object: 'list', data: mine.slice(2), total: 3 });
      expect((await list('?page=1000000000&page_size=1000')).data).toEqual([]);
    });

    it.each([
      ['purpose=ocr', ['scan.png', 'ÄRGER_100%.PDF']],
      ['sample_type=batch_request', ['alpha.jsonl']],
      ['sample_type=batch_request&sample_type=pretrain', ['scan.png', 'ÄRGER_100%.PDF', 'alpha.jsonl']],
      ['source=upload', ['scan.png', 'ÄRGER_100%.PDF', 'alpha.jsonl']],
      ['source=mistral&source=repository', []],
      ['mimetypes=image/png&mimetypes=application/pdf', ['scan.png', 'ÄRGER_100%.PDF']],
      ['search=SCAN', ['scan.png']],
      [`search=${encodeURIComponent('ärger_1')}`, ['ÄRGER_100%.PDF']],
      [`search=${encodeURIComponent('%')}`, ['ÄRGER_100%.PDF']],
      ['search=_', ['ÄRGER_100%.PDF']],
      ['search=%00', []],
      ['search=a&purpose=ocr&mimetypes=image/png', ['scan.png']],
    ])('is narrowed by %s [FILES-LIST-FILTERS]', async (query, expected) => {
      expect(await names(`?${query}`)).toEqual(expected);
      expect((await list(`?${query}`)).total).toBe(expected.length);
    });

    it.each([
      'page=-1',
      'page_size=0',
      'page_size=1001',
      'page=99999999999',
      'purpose=x',
      'source=x',
      'sample_type=x',
      'include_total=x',
      'limit=1',
    ])('422: %s', async (query) => {
      expect((await call(server, `/v1/files?${query}`)).status).toBe(422);
    });
  });

  describe.runIf(isSqliteOrFull(database))('a signed address', () => {
    const sign = async (id: string, query = '') =>
      (await call(server, `/v1/files/${id}/url${query}`)).body as { url: string };

    it('gives the content without a key, for 24 hours or as long as asked [FILES-URL] [FILES-URL-EXPIRY]', async () => {
      const { id } = await uploaded(server, 'signed', { visibility: 'user' });
      for (const [query, hours] of [
        ['', 24],
        ['?expiry=1', 1],
        ['?expiry=168', 168],
      ] as const) {
        const { url } = await sign(id, query);
        expect(url.startsWith(`${server.url}/v1/files/${id}/download?`)).toBe(true);
        const expires = Number(new URL(url).searchParams.get('expires'));
        expect(Math.abs(expires - (Date.now() / 1000 + hours * 3600))).toBeLessThan(60);
        const answer = await fetch(url);
        expect(await answer.text()).toBe('signed');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
      }
    });

    it('that was changed, or whose file is gone, gives nothing and tells nothing [FILES-URL-TAMPERED]', async () => {
      const [one, two] = [await uploaded(server, 'one'), await uploaded(server, 'two')];
      const { url } = await sign(one.id);
      const { searchParams } = new URL(url);
      const [expires, signature] = [Number(searchParams.get('expires')), searchParams.get('signature') ?? ''];
      const turned = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
      const refusals = [
        url.replace(one.id, two.id),
        url.replace(one.id, MISSING),
        url.replace(String(expires), String(expires + 1)),
        url.replace(signature, turned),
        url.replace(signature, ''),
        url.replace(signature, `${signature}A`),
      ];
      const answers = await Promise.all(refusals.map(async (address) => (await fetch(address)).text()));
      expect(new Set(answers).size).toBe(1);
      expect(JSON.parse(answers[0] ?? '')).toMatchObject({ object: 'error', type: 'permission_error' });
      expect((await fetch(refusals[0] ?? '')).status).toBe(403);
      await call(server, `/v1/files/${one.id}`, { method: 'DELETE' });
      expect(await (await fetch(url)).text()).toBe(answers[0]);
    });

    it.each(['expiry=0', 'expiry=169', 'expiry=x', 'hours=1'])('422: %s [FILES-URL-EXPIRY]', async (query) => {
      const { id } = await uploaded(server, 'x');
      expect((await call(server, `/v1/files/${id}/url?${query}`)).status).toBe(422);
    });

    it('422: without its proof', async () => {
      expect((await fetch(`${server.url}/v1/files/${MISSING}/download`)).status).toBe(422);
    });
  });

  const everyCall = (id: string) =>
    [
      ['GET', `/v1/files/${id}`],
      ['GET', `/v1/files/${id}/content`],
      ['GET', `/v1/files/${id}/url`],
      ['DELETE', `/v1/files/${id}`],
    ] as const;

  describe.runIf(isSqliteOrFull(database))('401 and 403', () => {
    it('without a key, and for a role that may not read files', async () => {
      const { id } = await uploaded(server, 'x');
      for (const [method, path] of [...everyCall(id), ['GET', '/v1/files']] as const) {
        expect((await call(server, path, { method, key: 'wrong' })).status).toBe(401);
        expect((await call(server, path, { method, key: billing })).status).toBe(403);
      }
      expect((await upload(server, 'x', {}, { key: 'wrong' })).status).toBe(401);
      expect((await upload(server, 'x', {}, { key: billing })).status).toBe(403);
    });
  });

  describe.runIf(isSqliteOrFull(database))('404', () => {
    it("another workspace's file looks exactly like a missing one", async () => {
      const { id } = await uploaded(server, 'secret');
      for (const [method, path] of everyCall(id)) {
        const theirs = await call(server, path, { method, key: stranger });
        const missing = await call(server, path.replace(id, MISSING), { method, key: stranger });
        expect([theirs.status, theirs.text.replace(id, MISSING)]).toEqual([404, missing.text]);
      }
      expect((await call(server, `/v1/files/${id}`)).status).toBe(200);
    });

    it("a colleague's private file looks exactly like a missing one [FILES-VISIBILITY-USER] [FILES-VISIBILITY-WORKSPACE]", async () => {
      const hidden = await uploaded(server, 'mine', { visibility: 'user' });
      const shared = await uploaded(server, 'ours', { visibility: 'workspace' });
      for (const [method, path] of everyCall(hidden.id)) {
        const theirs = await call(server, path, { method, key: colleague });
        const missing = await call(server, path.replace(hidden.id, MISSING), { method, key: colleague });
        expect([theirs.status, theirs.text.replace(hidden.id, MISSING)]).toEqual([404, missing.text]);
      }
      const seen = (await list('', colleague)).data.map(({ id }) => id);
      expect(seen).toContain(shared.id);
      expect(seen).not.toContain(hidden.id);
      expect((await call(server, `/v1/files/${shared.id}/content`, { key: colleague })).text).toBe('ours');
    });
  });

  describe.runIf(isSqliteOrFull(database))('413', () => {
    it('a file over the limit, told or found, and nothing of it is kept [FILES-LIMIT]', async () => {
      const before = filesOnDisk();
      const limit = 1024 * 1024;
      expect((await upload(server, randomBytes(limit))).status).toBe(200);
      for (const bytes of [limit + 1, 3 * limit]) {
        expect(await upload(server, randomBytes(bytes))).toMatchObject({
          status: 413,
          body: { object: 'error', type: 'invalid_request_error', message: expect.stringContaining('1048576 bytes') },
        });
      }
      expect(filesAdded(before)).toHaveLength(1);
      expect((await call(server, '/v1/files')).status).toBe(200);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([
      ['an unknown purpose', { purpose: 'pets' }, 'enum'],
      ['an unknown visibility', { visibility: 'world' }, 'enum'],
      ['an expiry that is no number', { expiry: 'soon' }, 'int_parsing'],
      ['an expiry in the past', { expiry: '0' }, 'greater_than_equal'],
      ['an expiry after everybody', { expiry: '99999999' }, 'less_than_equal'],
      ['an unknown field', { owner: 'me' }, 'extra_forbidden'],
      ['a field by the name of a prototype', { ['__proto__']: 'me' }, 'extra_forbidden'],
    ])('%s is refused, and nothing is kept [FILES-PURPOSE]', async (_name, fields, type) => {
      const before = filesOnDisk();
      const [field] = Object.keys(fields);
      expect(await upload(server, randomBytes(1000), fields as Record<string, string>)).toMatchObject({
        status: 422,
        body: { detail: [{ type, loc: ['body', field] }] },
      });
      expect(filesAdded(before)).toEqual([]);
    });

    it('an id that is no UUID', async () => {
      for (const [method, path] of everyCall('nothing'))
        expect((await call(server, path, { method })).status).toBe(422);
    });

    it('an unknown parameter, on every endpoint', async () => {
      const { id } = await uploaded(server, 'x');
      for (const [method, path] of [...everyCall(id), ['GET', '/v1/files']] as const)
        expect((await call(server, `${path}?what=1`, { method })).status).toBe(422);
    });
  });
});
