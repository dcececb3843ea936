import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import { createPageTokens, type Scope } from '../kit/http/index.ts';
import { type AgentService, createAgentService } from './service.ts';

const [AGENTS, PAGE_SIZE] = [7, 3];

onEachDatabase('who uses a skill or a model', (given) => {
  let agents: AgentService;
  const scope = { organization_id: uuid(), workspace_id: uuid(), user_id: uuid(), key_id: uuid() } as Scope;
  const elsewhere = { ...scope, workspace_id: uuid() } as Scope;
  const byModel = (wanted: string) => (model: string) => (model === wanted ? { alias: 'production' } : undefined);

  beforeAll(async () => {
    const database = await given.open();
    const audit = createAuditService({ database, now: systemClock });
    const tokens = createPageTokens('a secret of the test');
    const chat = {
      complete: () => Promise.reject(),
      stream: () => Promise.reject(),
      checkModel: async () => undefined,
    };
    agents = createAgentService({ database, audit, tokens, chat, now: systemClock, usersPageSize: PAGE_SIZE });
    for (let index = 0; index < AGENTS; index++)
      await agents.create(scope, { name: `agent-${index}`, model: 'shared', metadata: { skills: ['tides@3'] } });
    await agents.create(elsewhere, { name: 'elsewhere', model: 'shared', metadata: { skills: ['tides'] } });
  });

  it('no agent is left out, however many there are', async () => {
    const names = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`).sort();
    const bySkill = await agents.findUsing(scope, { skill: 'tides' });
    expect(bySkill.map(({ name }) => name).sort()).toEqual(names);
    expect(bySkill[0]).toMatchObject({ version: 0, selected: { version: 3 } });
    const users = await agents.findUsing(scope, { model: byModel('shared') });
    expect(users.map(({ name }) => name).sort()).toEqual(names);
    expect(users[0]).toMatchObject({ version: 0, selected: { alias: 'production' } });
  });

  it('only the current version of an agent counts', async () => {
    const scope = { ...elsewhere, workspace_id: uuid() } as Scope;
    const { id } = await agents.create(scope, { name: 'changed', model: 'before', metadata: { skills: ['rivers'] } });
    await agents.update(scope, id, { model: 'after', metadata: { skills: ['lakes@stable'] } });
    expect(await agents.findUsing(scope, { skill: 'rivers' })).toEqual([]);
    expect(await agents.findUsing(scope, { model: byModel('before') })).toEqual([]);
    const found = { id, name: 'changed', version: 1, selected: { alias: 'stable' } };
    expect(await agents.findUsing(scope, { skill: 'lakes' })).toEqual([found]);
  });

  it('agents of another workspace do not count', async () => {
    const found = await agents.findUsing(elsewhere, { skill: 'tides' });
    expect(found.map(({ name }) => name)).toEqual(['elsewhere']);
  });
});
