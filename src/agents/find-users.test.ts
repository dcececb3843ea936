import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { hexId, uuid } from '../kit/base/ids.ts';
import { createPageTokens, type Scope } from '../kit/http/index.ts';
import { type AgentService, createAgentService } from './service.ts';
import { findAgent } from './store.ts';

const AGENTS = 2050;
const BATCH = 500;

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
    agents = createAgentService({ database, audit, tokens, chat, now: systemClock });
    // Copies of one agent: creating each of them would take half a minute.
    const metadata = { skills: ['tides@3'] };
    const { id } = await agents.create(scope, { name: 'agent-0', model: 'shared', metadata });
    const row = await findAgent(database.db, scope.workspace_id, id);
    if (!row) throw new Error('The agent is missing.');
    for (let first = 1; first < AGENTS; first += BATCH) {
      const copies = Array.from({ length: Math.min(BATCH, AGENTS - first) }, (_, index) => ({
        ...row,
        id: hexId('ag_'),
        name: `agent-${first + index}`,
        metadata: JSON.stringify(metadata),
      }));
      await database.db.insertInto('agents').values(copies).execute();
    }
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
