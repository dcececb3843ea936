import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
});

it('every operation on libraries works in the official TypeScript SDK', async () => {
  const { libraries } = new Mistral({ serverURL: server.url, apiKey: server.key }).beta;
  const { id: libraryId } = await libraries.create({ name: 'Models', description: 'About models.', chunkSize: 512 });
  expect(await libraries.list({ search: 'MODEL' })).toMatchObject({
    data: [{ id: libraryId, nbDocuments: 0, ownerType: 'Workspace' }],
    pagination: { totalItems: 1 },
  });
  const updateLibraryRequest = { name: 'Weights' };
  expect(await libraries.update({ libraryId, updateLibraryRequest })).toMatchObject({ name: 'Weights' });
  expect(await libraries.librariesUpdateV1({ libraryId, updateLibraryRequest })).toMatchObject({ chunkSize: 512 });

  const { documents } = libraries;
  const file = { fileName: 'tide.md', content: Buffer.from('# Tide\n\nThe tide rises twice a day.\n') };
  const { id: documentId } = await documents.upload({ libraryId, requestBody: { file } });
  expect((await documents.upload({ libraryId, requestBody: { file } })).id).toBe(documentId);
  let status = await documents.status({ libraryId, documentId });
  while (status.processingStatus === 'Running') status = await documents.status({ libraryId, documentId });
  expect(status).toEqual({ documentId, processStatus: 'done', processingStatus: 'Completed' });
  expect(await documents.get({ libraryId, documentId })).toMatchObject({
    name: 'tide.md',
    extension: 'md',
    numberOfPages: 1,
    summary: 'Tide The tide rises twice a day.',
    tokensProcessingTotal: 9,
  });
  expect((await documents.textContent({ libraryId, documentId })).text).toBe('# Tide\n\nThe tide rises twice a day.');
  const updateDocumentRequest = { name: 'tides.md', attributes: { sea: 'north', depth: 3, kinds: ['a', 'b'] } };
  await documents.librariesDocumentsUpdateV1({ libraryId, documentId, updateDocumentRequest });
  const changed = await documents.update({ libraryId, documentId, updateDocumentRequest: { expiresAt: null } });
  expect(changed).toMatchObject({ name: 'tides.md', attributes: { sea: 'north', depth: 3, kinds: ['a', 'b'] } });
  const filtersAttributes = JSON.stringify({ sea: 'north', depth: 3 });
  expect((await documents.list({ libraryId, filtersAttributes, sortBy: 'name', sortOrder: 'asc' })).data).toHaveLength(
    1,
  );
  expect((await documents.list({ libraryId, filtersAttributes: '{"sea":"south"}' })).data).toEqual([]);
  expect(await (await fetch(await documents.getSignedUrl({ libraryId, documentId }))).text()).toContain('# Tide');
  expect(await (await fetch(await documents.extractedTextSignedUrl({ libraryId, documentId }))).text()).toContain(
    'rises',
  );
  await documents.reprocess({ libraryId, documentId });

  const { accesses } = libraries;
  const [owner] = (await accesses.list({ libraryId })).data;
  expect(owner).toMatchObject({ role: 'Owner', shareWithType: 'Workspace' });
  const entity = { shareWithUuid: owner?.orgId ?? '', shareWithType: 'Org' as const };
  expect(await accesses.updateOrCreate({ libraryId, sharingRequest: { ...entity, level: 'Viewer' } })).toMatchObject({
    role: 'Viewer',
  });
  expect((await accesses.list({ libraryId })).data).toHaveLength(2);
  expect((await libraries.get({ libraryId })).orgSharingRole).toBe('Viewer');
  await accesses.delete({ libraryId, sharingDelete: entity });

  await documents.delete({ libraryId, documentId });
  await expect(documents.get({ libraryId, documentId })).rejects.toMatchObject({ statusCode: 404 });
  expect((await libraries.delete({ libraryId }))?.id).toBe(libraryId);
  await expect(libraries.get({ libraryId })).rejects.toMatchObject({ statusCode: 404 });
});

it.skipIf(!python)('every operation on libraries works in the official Python SDK', async () => {
  const script = fileURLToPath(new URL('./libraries.py', import.meta.url));
  const stdout = await runPython(script, [server.url, server.key]);
  expect(JSON.parse(stdout)).toEqual({
    listed: ['Mistral Models'],
    status: 'Completed',
    document: ['mistral7b.html', 'html', 1, 'done'],
    text: 'Grouped-query attention.',
    links: [true, true],
    attributes: { team: 'blue' },
    found: 1,
    shared: ['Owner', 'Editor'],
    deleted: [404, 404],
  });
});
