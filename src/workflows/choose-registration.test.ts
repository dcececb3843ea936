import type { KyselyPlugin } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import type { Database } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { createRegistrationChooser } from './choose-registration.ts';
import { RegisterRequest } from './schema/workers.ts';
import { createRegistry } from './service/registry.ts';

const MINE = '0190c4a2-0000-7000-8000-000000000001';
const THEIRS = '0190c4a2-0000-7000-8000-000000000002';
const MISSING = '0190c4a2-0000-7000-8000-00000000000f';

onEachDatabase('the way to a registration', (testDatabase) => {
  let database: Database;
  let id: string;
  beforeAll(async () => {
    database = await testDatabase.open();
    const created_at = new Date().toISOString();
    const workspace = { id: MINE, organization_id: 'o1', name: 'W', description: '', icon: '', created_at };
    await database.transaction(async (tx) => {
      await tx.insertInto('organizations').values({ id: 'o1', name: 'O', plan: 'enterprise', created_at }).execute();
      await tx
        .insertInto('workspaces')
        .values({ ...workspace, is_default: true, archived_at: null })
        .execute();
    });
    const registry = createRegistry({ database, now: Date.now });
    const request = RegisterRequest.parse({
      definitions: [{ name: 'w', task_queue: 'main', input_schema: { type: 'object' } }],
      deployment_name: 'main',
      worker_name: 'worker-1',
    });
    const { workflow_registration_ids } = await registry.register(
      { organization_id: 'o1', workspace_id: MINE } as Scope,
      request,
    );
    id = workflow_registration_ids[0] ?? '';
  });

  it('is as long for one of another workspace as for a missing one, also when it is in memory', async () => {
    let questions = 0;
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        questions++;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { readRegistration } = createRegistrationChooser({
      database: { ...database, db: database.db.withPlugin(counting) },
      now: Date.now,
    });
    const costOf = async (workspaceId: string, wanted: string) => {
      const before = questions;
      const found = await readRegistration(workspaceId, wanted);
      return { found: found?.id, questions: questions - before };
    };
    expect(await costOf(MINE, id)).toEqual({ found: id, questions: 1 });
    expect(await costOf(MINE, id)).toEqual({ found: id, questions: 0 });
    expect(await costOf(THEIRS, id)).toEqual({ found: undefined, questions: 1 });
    expect(await costOf(THEIRS, MISSING)).toEqual({ found: undefined, questions: 1 });
  });
});
