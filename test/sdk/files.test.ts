import consumers from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
});

it('every operation on files works in the official TypeScript SDK [FILES-UPLOAD] [FILES-LIST] [FILES-GET] [FILES-DELETE] [FILES-CONTENT] [FILES-URL]', async () => {
  const { files } = new Mistral({ serverURL: server.url, apiKey: server.key });
  const content = Buffer.from('été\n'.repeat(1000));
  const created = await files.upload({
    file: { fileName: 'été.jsonl', content },
    purpose: 'batch',
    expiry: 5,
    visibility: 'user',
  });
  expect(created).toMatchObject({
    object: 'file',
    sizeBytes: 6000,
    filename: 'été.jsonl',
    purpose: 'batch',
    sampleType: 'batch_request',
    numLines: 1000,
    source: 'upload',
    visibility: 'user',
    expiresAt: created.createdAt + 5 * 3600,
  });
  const blob = await files.upload({ file: new File(['plain'], 'plain.txt', { type: 'text/plain' }) });
  expect(blob).toMatchObject({ filename: 'plain.txt', mimetype: 'text/plain', purpose: 'fine-tune' });

  const found = await files.list({ search: 'ÉTÉ', sampleType: ['batch_request', 'batch_error'], mimetypes: ['a/b'] });
  expect(found).toMatchObject({ total: 0, data: [] });
  const listed = await files.list({ search: 'ÉTÉ', sampleType: ['batch_request', 'batch_error'], pageSize: 1 });
  expect(listed).toMatchObject({ total: 1, data: [{ id: created.id }] });
  expect(await files.retrieve({ fileId: created.id })).toEqual({ ...created, deleted: false });
  expect(content.equals(await consumers.buffer(await files.download({ fileId: created.id })))).toBe(true);
  const { url } = await files.getSignedUrl({ fileId: created.id, expiry: 2 });
  expect(content.equals(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(true);
  for (const fileId of [created.id, blob.id])
    expect(await files.delete({ fileId })).toEqual({ id: fileId, object: 'file', deleted: true });
  await expect(files.retrieve({ fileId: created.id })).rejects.toMatchObject({ statusCode: 404 });
});

describe.runIf(python)('the official Python SDK', () => {
  it('works for every operation on files [FILES-UPLOAD] [FILES-LIST] [FILES-GET] [FILES-DELETE] [FILES-CONTENT] [FILES-URL]', async () => {
    const script = fileURLToPath(new URL('./files.py', import.meta.url));
    const stdout = await runPython(script, [server.url, server.key]);
    const result = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
    const { id, ...fields } = result.created ?? {};
    expect(fields).toMatchObject({ filename: 'été.jsonl', purpose: 'batch', num_lines: 1000, visibility: 'user' });
    expect(result).toMatchObject({
      listed: [id],
      total: 1,
      retrieved: { id, ...fields, deleted: false },
      downloaded: true,
      signed: true,
      deleted: { id, object: 'file', deleted: true },
      left: 0,
    });
  });
});
