import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { addStranger } from '../../../test/support/people.ts';
import { useFolders } from './folders-for-tests.ts';

const { server, exportTo, importFrom } = useFolders();

type Agent = { id: string; name: string; version: number; instructions: string | null; handoffs: string[] | null };

const send = async (key: string, method: string, path: string, body?: unknown) => {
  const answer = await call(server(), `/v1/agents${path}`, { key, method, ...(body === undefined ? {} : { body }) });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body as Agent;
};
const list = async (key: string) => (await call(server(), '/v1/agents', { key })).body as Agent[];
const filesOf = (dir: string) =>
  Object.fromEntries(
    readdirSync(join(dir, 'agents')).map((name) => [name, readFileSync(join(dir, 'agents', name), 'utf8')]),
  );

/** Two that hand over to each other, two of one name, an older version with an alias, a name that no file can have. */
async function fill(key: string): Promise<void> {
  const first = await send(key, 'POST', '', {
    model: 'm',
    name: 'Desk: 1/2',
    instructions: 'Line one.\nLine two: #3\n',
  });
  const second = await send(key, 'POST', '', { model: 'm', name: 'Helper', handoffs: [first.id] });
  await send(key, 'PUT', `/${first.id}/aliases?alias=old&version=0`);
  await send(key, 'PATCH', `/${first.id}`, {
    instructions: 'New.',
    handoffs: [second.id],
    tools: [{ type: 'web_search' }],
    completion_args: { temperature: 0.5 },
    metadata: { team: 'blue' },
  });
  await send(key, 'PUT', `/${first.id}/aliases?alias=main&version=1`);
  await send(key, 'POST', '', { model: 'm', name: 'Helper', description: 'another' });
}

it('exports agents as readable files, and export, import, export gives the same bytes', async () => {
  const { key } = server();
  await fill(key);
  const [here, there] = [temporaryDir(), temporaryDir()];
  expect((await exportTo(key, here, '--json')).code).toBe(0);
  expect(Object.keys(filesOf(here))).toEqual(['Desk-1-2.yaml', 'Helper.yaml', 'Helper~2.yaml']);
  expect(filesOf(here)['Desk-1-2.yaml']).toContain('handoffs:\n  - Helper\n');
  const stranger = await addStranger(server());
  expect((await importFrom(stranger, here)).stdout).toContain('3 created');
  await exportTo(stranger, there);
  expect(filesOf(there)).toEqual(filesOf(here));
  const agents = await list(stranger);
  const desk = agents.find(({ name }) => name === 'Desk: 1/2');
  expect(desk?.instructions).toBe('New.');
  expect(agents.find(({ id }) => id === desk?.handoffs?.[0])?.name).toBe('Helper');
  const old = await call(server(), `/v1/agents/${desk?.id}?agent_version=old`, { key: stranger });
  expect(old.body).toMatchObject({ instructions: 'Line one.\nLine two: #3\n' });
});

it('changes only what differs, and in a dry run nothing', async () => {
  const stranger = await addStranger(server());
  await fill(stranger);
  const dir = temporaryDir();
  await exportTo(stranger, dir);
  const before = await list(stranger);
  expect((await importFrom(stranger, dir)).stdout).toContain('3 unchanged');
  expect(await list(stranger)).toEqual(before);
  const file = join(dir, 'agents', 'Helper~2.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('another', 'a third'));
  expect((await importFrom(stranger, dir, '--dry-run')).stdout).toContain('1 updated');
  expect(await list(stranger)).toEqual(before);
  expect((await importFrom(stranger, dir)).stdout).toContain('1 updated');
  expect((await list(stranger)).map(({ version }) => version).sort()).toEqual([0, 1, 1]);
});

it.each([
  ['an unknown field', 'name: A\nmodel: m\ncolour: red\n', "unknown field 'colour'"],
  ['no model', 'name: A\n', 'needs at least a name and a model'],
  ['a handoff to nobody', 'name: A\nmodel: m\nhandoffs: [Nobody]\n', "refers to 'Nobody'"],
])('names a file with %s', async (_what, text, sentence) => {
  const stranger = await addStranger(server());
  await fill(stranger);
  const dir = temporaryDir();
  await exportTo(stranger, dir);
  writeFileSync(join(dir, 'agents', 'A.yaml'), text);
  const { code, stderr } = await importFrom(stranger, dir);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr).toContain('A.yaml');
});
