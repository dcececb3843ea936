import { setTimeout as delay } from 'node:timers/promises';
import { definitionOf } from '../../../src/workflows/workflows-for-tests.ts';
import { call } from '../../../test/support/call.ts';
import type { Kept } from './releases.ts';

type Program = { url: string; key: string; adminKey: string };

const FORM = 'form';
/** For a document to be read. */
const TRIES_MAX = 100;
const PAUSE_MS = 100;

/**
 * Creates one of everything that the program supports, and reads it back. A program without a feature responds 404, and
 * nothing of it is recorded.
 */
export async function fill(program: Program): Promise<Kept['reads']> {
  const reads: Kept['reads'] = [];
  const keys = { standard: program.key, admin: program.adminKey };

  async function read(path: string, kind: keyof typeof keys = 'standard'): Promise<unknown> {
    const { status, body } = await call(program, path, { key: keys[kind] });
    if (status === 200) reads.push({ path, key: keys[kind], body });
    return body;
  }

  async function make(path: string, body: unknown, kind: keyof typeof keys = 'standard') {
    const answer = await call(program, path, { key: keys[kind], body });
    return answer.status < 300 ? (answer.body as Record<string, string>) : undefined;
  }

  const me = (await read('/v1/users/me')) as { id: string; workspace: { id: string } };

  const prompt = { name: 'greeting', definition: { content: 'Hi {{who}}', variables: [{ name: 'who' }] } };
  if (await make('/v2/prompts', { ...prompt, aliases: ['live'] })) {
    await make('/v2/prompts/greeting/versions', { definition: { content: 'Hello' }, notes: 'shorter' });
    await read('/v2/prompts/greeting?alias=live');
    await read('/v2/prompts/greeting/versions');
  }
  // Older programs do not know the relation, and refuse it.
  if (
    await make('/v2/prompts', {
      ...prompt,
      name: 'house-style',
      sharingScope: 'workspace',
      workspaceRelation: 'reader',
    })
  )
    await read('/v2/prompts/house-style');
  const skill = { description: 'Use for notes.', body: '# Notes\n', assets: { 'a.md': { textContent: 'x' } } };
  if (await make('/v2/skills', { name: 'notes', definition: skill, aliases: ['main'] })) {
    await read('/v2/skills/notes?alias=main');
    await read('/v2/skills/notes/versions');
  }
  const agent = await make('/v1/agents', { model: 'small', name: 'Poet', instructions: 'Rhyme.' });
  if (agent) await read(`/v1/agents/${agent.id}`);
  const started = await make('/v1/conversations', { model: 'small', inputs: 'Hi', metadata: { team: 'green' } });
  if (started) {
    await make(`/v1/conversations/${started.conversation_id}`, { inputs: 'More' });
    await read(`/v1/conversations/${started.conversation_id}`);
    await read(`/v1/conversations/${started.conversation_id}/history`);
  }
  await upload();
  const wav = Buffer.concat([
    Buffer.from('524946462400000057415645666d74201000000001000100401f0000803e000002001000646174610000', 'hex'),
    Buffer.alloc(16_002),
  ]);
  wav.writeUInt32LE(16_000, 40);
  const voice = await make('/v1/audio/voices', { name: 'Eva', sample_audio: wav.toString('base64') });
  if (voice) await read(`/v1/audio/voices/${voice.id}`);
  const library = await make('/v1/libraries', { name: 'Papers', description: 'Of tides.' });
  if (library) {
    const place = { type: 'site', url: 'https://page.example.test/' };
    if (await make(`/v1/libraries/${library.id}/sources`, { place, interval_seconds: null }))
      await read(`/v1/libraries/${library.id}/sources`);
    await addDocuments(library.id ?? '');
    await read(`/v1/libraries/${library.id}`);
  }
  await index();
  await connect();
  await administer();
  await workflows();
  return reads;

  async function addDocuments(libraryId: string): Promise<void> {
    const path = `/v1/libraries/${libraryId}/documents`;
    const content = '# Tides\n\nThe tide rises twice a day.\n';
    const raw = `--${FORM}\r\ncontent-disposition: form-data; name="file"; filename="tides.md"\r\n\r\n${content}\r\n--${FORM}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${FORM}` };
    const { status, body } = await call(program, path, { raw, headers });
    if (status >= 300) return;
    const { id } = body as { id: string };
    await call(program, `${path}/${id}`, { method: 'PATCH', body: { attributes: { team: 'green' } } });
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { body: state } = await call(program, `${path}/${id}/status`);
      if ((state as { processing_status: string }).processing_status === 'Completed') break;
      await delay(PAUSE_MS);
    }
    await read(`${path}/${id}/text_content`);
    await read(`${path}/${id}`);
    await read(`${path}/${id}/chunks`);
  }

  async function index(): Promise<void> {
    const config = { embedding: { type: 'custom', name: 'own', dimensions: 2 } };
    if (!(await make('/v1/context/search-indexes', { name: 'manuals', config }))) return;
    const chunks = [{ content: 'The tide rises.', embedding: [1, 0], start_offset: 0, end_offset: 15 }];
    await make('/v1/context/search-indexes/manuals/documents', { documents: [{ id: 'a', chunks }] });
    await read('/v1/context/search-indexes/manuals');
    await read('/v1/context/search-indexes/manuals/chunks/a:0');
  }

  async function connect(): Promise<void> {
    const server = 'https://wiki.example.com/mcp';
    const wiki = await make('/v1/connectors', { name: 'wiki', description: 'Pages', server, protocol: 'mcp' });
    if (!wiki) return;
    const credentials = { name: 'main', credentials: { bearer_token: 'a-token-of-an-older-program' } };
    await make(`/v1/connectors/${wiki.id}/user/credentials`, credentials);
    await call(program, `/v1/connectors/${wiki.id}/user/preferences`, {
      method: 'PUT',
      body: { requires_confirmation: ['edit'] },
    });
    await read(`/v1/connectors/${wiki.id}`);
    await read(`/v1/connectors/${wiki.id}/user/credentials`);
  }

  async function upload(): Promise<void> {
    const part = (field: string, content: string) =>
      `--${FORM}\r\ncontent-disposition: form-data; ${field}\r\n\r\n${content}\r\n`;
    const raw = `${part('name="purpose"', 'batch')}${part('name="file"; filename="a.jsonl"', '{}\n')}--${FORM}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${FORM}` };
    const { status, body } = await call(program, '/v1/files', { raw, headers });
    if (status !== 200) return;
    const { id } = body as { id: string };
    await read(`/v1/files/${id}`);
    await read(`/v1/files/${id}/content`);
  }

  async function administer(): Promise<void> {
    const owner = { user_id: me.id, workspace_uuid: me.workspace.id };
    await make('/v1/admin/workspaces', { name: 'Second', admin_user_id: me.id }, 'admin');
    await make('/v1/admin/users', [{ email: 'a@example.test', first_name: 'A', last_name: 'B' }], 'admin');
    await make('/v1/admin/user-groups', { name: 'Group' }, 'admin');
    await make('/v1/admin/api-keys', { name: 'Second key', ...owner }, 'admin');
    for (const list of ['workspaces', 'users', 'user-groups', 'api-keys', 'roles'])
      await read(`/v1/admin/${list}`, 'admin');
  }

  async function workflows(): Promise<void> {
    const registered = { definitions: [definitionOf('greet')], deployment_name: 'main', worker_name: 'w' };
    if (!(await make('/v1/workflows/register', registered))) return;
    const execution = await make('/v1/workflows/greet/execute', { input: { n: 1 } });
    await read(`/v1/workflows/executions/${execution?.execution_id}`);
    await read(`/v1/workflows/events/list?root_workflow_exec_id=${execution?.execution_id}`);
    const schedule = { input: { n: 1 }, cron_expressions: ['0 7 1 1 *'] };
    const planned = await make('/v1/workflows/schedules', { workflow_identifier: 'greet', schedule });
    await read(`/v1/workflows/schedules/${planned?.schedule_id}`);
  }
}
