import { beforeAll, expect, it, vi } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import type { Database } from '../kit/db/index.ts';
import { createAuditFollower, createAuditService } from './index.ts';

const WORKSPACE = '00000000-0000-4000-8000-000000000001';

onEachDatabase('following the audit log', (database) => {
  let here: Database;
  let elsewhere: Database;
  beforeAll(async () => {
    here = await database.open();
    elsewhere = await database.open();
  });

  const record = (on: Database, organization_id: string, event_type: 'skill.create' | 'prompt.create') =>
    on.transaction((tx) =>
      createAuditService({ database: on, now: () => 0 }).record(tx, {
        organization_id,
        workspace_id: WORKSPACE,
        actor: { type: 'OTHER', metadata: {} },
        event_type,
        target_type: 'SKILL',
      }),
    );

  it('reports what is written from now on, here and in another process, and nothing before', async () => {
    const organization = 'one';
    await record(here, organization, 'skill.create');
    const follower = createAuditFollower(here, 50);
    const heard: unknown[] = [];
    const leave = await follower.follow(organization, (news) => heard.push(...news));
    await record(here, organization, 'prompt.create');
    await vi.waitFor(() => expect(heard).toEqual([{ event_type: 'prompt.create', workspace_id: WORKSPACE }]));
    await record(elsewhere, 'another organization', 'skill.create');
    await record(elsewhere, organization, 'skill.create');
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    leave();
    follower.stop();
  });

  it('reports to all followers until they leave, and nothing that was rolled back', async () => {
    const follower = createAuditFollower(here, 50);
    const heard = { first: 0, second: 0 };
    const leaveFirst = await follower.follow('two', () => heard.first++);
    const leaveSecond = await follower.follow('two', () => heard.second++);
    const failed = here.transaction(async (tx) => {
      await createAuditService({ database: here, now: () => 0 }).record(tx, {
        organization_id: 'two',
        actor: { type: 'OTHER', metadata: {} },
        event_type: 'skill.create',
        target_type: 'SKILL',
      });
      throw new Error('on second thought');
    });
    await expect(failed).rejects.toThrow('on second thought');
    await record(here, 'two', 'skill.create');
    await vi.waitFor(() => expect(heard).toEqual({ first: 1, second: 1 }));
    leaveFirst();
    await record(here, 'two', 'skill.create');
    await vi.waitFor(() => expect(heard).toEqual({ first: 1, second: 2 }));
    leaveSecond();
    follower.stop();
  });

  it('continues after the database was away for a while', async () => {
    const flaky = { ...here, db: here.db };
    const follower = createAuditFollower(flaky, 20);
    const heard: unknown[] = [];
    const leave = await follower.follow('three', (news) => heard.push(...news));
    flaky.db = {
      selectFrom: () => {
        throw new Error('gone');
      },
    } as unknown as Database['db'];
    await record(here, 'three', 'skill.create');
    flaky.db = here.db;
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    leave();
    follower.stop();
  });
});
