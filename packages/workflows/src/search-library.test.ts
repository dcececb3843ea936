import { expect, it } from 'vitest';
import { makeLibrary, upload } from '../../../src/libraries/libraries-for-tests.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { NonRetryable, searchLibrary } from './index.ts';

it('a step finds passages of a library with the key of its worker, and a refusal is not retried', async () => {
  const server = await startTestServer(sqliteForTests());
  const { id: library } = await makeLibrary(server);
  const document = await upload(server, library, 'tides.md', 'High water is at noon.');
  const step = { platform: { url: server.url, apiKey: server.key }, signal: AbortSignal.timeout(60_000) };
  expect(await searchLibrary(step, { library, query: 'noon', topK: 3, mode: 'text' })).toMatchObject([
    { document_id: document.id, document_name: 'tides.md', text: 'High water is at noon.' },
  ]);
  const other = '01890000-0000-7000-8000-000000000000';
  await expect(searchLibrary(step, { library: other, query: 'noon' })).rejects.toThrow(NonRetryable);
});
