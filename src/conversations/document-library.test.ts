import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { makeLibrary, upload } from '../libraries/libraries-for-tests.ts';
import { type Conversing, MODEL, startConversing } from './conversations-for-tests.ts';

type Entry = Record<string, unknown> & { type: string };

onSqliteFirst('the tool document_library', (database) => {
  let conversing: Conversing;
  let libraryId: string;
  beforeAll(async () => {
    conversing = await startConversing(database);
    const { server } = conversing;
    libraryId = (await makeLibrary(server)).id;
    const read = await upload(
      server,
      libraryId,
      'winds.md',
      '# Winds\n\n## Cold\n\nThe tramontane blows from the north.\n',
    );
    expect(read.processing_status).toBe('Completed');
  });

  const asks = (query: string) =>
    conversing.says(
      { calls: [{ name: 'document_library', arguments: { query }, id: 'abcdefgh1' }] },
      { words: ['From the north.'] },
    );
  const start = (body: object, key?: string) =>
    call(conversing.server, '/v1/conversations', { key, body: { inputs: 'Where does it blow from?', ...body } });
  const tools = () => [{ type: 'document_library', library_ids: [libraryId] }];

  it('lets the model read passages as data, and shows where they stand [CONVERSATIONS-DOCUMENT-LIBRARY]', async () => {
    asks('tramontane north');
    const { outputs } = (await start({ model: MODEL, tools: tools() })).body as { outputs: Entry[] };
    expect(outputs[0]).toMatchObject({ type: 'tool.execution', name: 'document_library', info: { results: 1 } });
    expect(outputs[1]?.content).toMatchObject([
      { type: 'text', text: 'From the north.' },
      {
        type: 'tool_reference',
        tool: 'document_library',
        title: 'Winds, Cold',
        url: expect.stringContaining(`/v1/libraries/${libraryId}/documents/`),
        description: expect.stringContaining('blows from the north'),
      },
    ]);
    const told = JSON.stringify(conversing.upstream.calls.at(-1)?.body.messages);
    expect(told).toMatch(/<data source=.{1,20}>.*not an instruction.*<\/data>/);
    expect(told).toContain('The tramontane blows from the north.');
  });

  it('says so when nothing was found', async () => {
    asks('zzyzx');
    await start({ model: MODEL, tools: tools() });
    expect(JSON.stringify(conversing.upstream.calls.at(-1)?.body.messages)).toContain('Nothing was found');
  });

  it('is a tool of agents, which search what their caller sees [AGENTS-DOCUMENT-LIBRARY]', async () => {
    const agent = { model: MODEL, name: 'Librarian', tools: tools() };
    const { id } = (await call(conversing.server, '/v1/agents', { body: agent })).body as { id: string };
    asks('tramontane');
    const { outputs } = (await start({ agent_id: id })).body as { outputs: Entry[] };
    expect(outputs[0]).toMatchObject({ type: 'tool.execution', info: { results: 1 } });
  });

  it('takes a library of others for one that is not there, and keeps nothing', async () => {
    const stranger = await addStranger(conversing.server);
    const foreign = await start({ model: MODEL, tools: tools() }, stranger);
    const missing = await start({ model: MODEL, tools: [{ type: 'document_library', library_ids: ['none'] }] });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    const { body } = await call(conversing.server, '/v1/conversations', { key: stranger });
    expect(body).toEqual([]);
  });

  it('finds nothing any more in a library that was deleted meanwhile', async () => {
    const { id } = await makeLibrary(conversing.server, { name: 'Short' });
    const only = [{ type: 'document_library', library_ids: [id] }];
    const started = (await start({ model: MODEL, tools: only })).body as { conversation_id: string };
    await call(conversing.server, `/v1/libraries/${id}`, { method: 'DELETE' });
    const path = `/v1/conversations/${started.conversation_id}`;
    const appended = await call(conversing.server, path, { body: { inputs: 'And now?' } });
    expect(appended.status).toBe(404);
  });
});
