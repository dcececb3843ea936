import { deepEqual, equal, ok } from 'node:assert/strict';
import { collect } from '../collect.ts';
import type { Chapter } from '../platform.ts';

export const users: Chapter = async ({ beta: { users: room } }, { key }) => {
  const security = { dashboardUserContextAuth: key };
  const me = await room.getIdentity(security);
  equal((await collect(await room.listOrganizations(security))).length, 1);
  const workspaces = await collect(await room.listWorkspaces(security, { limit: 1 }));
  ok(workspaces.flatMap(({ result }) => result.workspaces).some(({ id }) => id === me.workspace?.id));
};

export const serviceAccounts: Chapter = async ({ beta: { serviceAccounts: room, users } }, { key }) => {
  const { workspace } = await users.getIdentity({ dashboardUserContextAuth: key });
  const workspaceId = workspace?.id ?? '';
  const { id: serviceAccountId } = await room.create({ name: 'swept', workspaceId, description: 'first' });
  equal((await room.update({ serviceAccountId, updateServiceAccountRequest: { description: 'b' } })).description, 'b');
  equal((await room.get({ serviceAccountId })).name, 'swept');
  const { items } = await room.listAssignableRoles({ workspaceId });
  const role = items.find(({ name }) => name === 'user');
  const setServiceAccountRolesRequest = { roleIds: [role?.uuid ?? ''] };
  await room.setRoles({ serviceAccountId, setServiceAccountRolesRequest });
  deepEqual((await room.listRoles({ serviceAccountId })).items, [{ roleId: role?.uuid }]);
  const pages = await collect(await room.list({ workspaceId, offset: 0, limit: 1 }));
  ok(pages.flatMap(({ result }) => result.items).some(({ id }) => id === serviceAccountId));
  await room.delete({ serviceAccountId });
};

export const prompts: Chapter = async ({ beta: { prompts: room } }) => {
  const definition = { content: 'Hi {{who}}', variables: [{ name: 'who' }] };
  const { id: promptId = '' } = await room.create({ name: 'swept', definition, title: 'Greeting', aliases: ['live'] });
  deepEqual(await room.createVersion(promptId, { definition: { content: 'Hello' }, notes: 'shorter' }), {
    version: 2,
    deduplicated: false,
  });
  equal((await room.get({ promptId: 'swept', alias: 'live' })).version, 1);
  equal((await room.getVersion({ promptId, version: 2 })).notes, 'shorter');
  equal((await room.listVersions({ promptId })).data?.length, 2);
  equal((await room.updateVersionMetadata(promptId, 2, { aliases: { values: ['live'] } })).version, 2);
  equal((await room.updateMetadata(promptId, { title: 'New', sharingScope: 'workspace' })).title, 'New');
  const pages = await collect(await room.list({ pageSize: 1, sortBy: 'name' }));
  ok(pages.flatMap(({ result }) => result.data ?? []).some(({ name }) => name === 'swept'));
  deepEqual(await room.delete({ promptId }), {});
};

export const skills: Chapter = async ({ beta: { skills: room } }) => {
  const assets = { 'run.bin': { rawContent: 'AAEC', isExecutable: true } };
  const definition = { description: 'Use for notes.', body: '# Notes\n', assets };
  const { id: skillId = '' } = await room.create({ name: 'swept', definition, aliases: ['main'] });
  deepEqual(await room.createVersion(skillId, { definition: { description: 'New.', body: '# Two\n' } }), {
    version: 2,
    deduplicated: false,
  });
  equal((await room.get({ skillId: 'swept', alias: 'main' })).version, 1);
  equal((await room.getVersion({ skillId, version: 1 })).definition?.assets?.['run.bin']?.isExecutable, true);
  equal((await room.listVersions({ skillId })).data?.length, 2);
  equal((await room.updateVersionMetadata(skillId, 2, { notes: 'kept' })).notes, 'kept');
  equal((await room.updateMetadata(skillId, { sharingScope: 'workspace' })).sharingScope, 'workspace');
  const pages = await collect(await room.list({ pageSize: 1 }));
  ok(pages.flatMap(({ result }) => result.data ?? []).some(({ name }) => name === 'swept'));
  deepEqual(await room.delete({ skillId }), {});
};
