import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { createAuditService } from '../../audit/index.ts';
import { createLog } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { engineForTests } from '../engines/embedded/engine-for-tests.ts';
import { LEASE_MS } from '../engines/embedded/limits.ts';
import { startOf, WORKSPACE } from '../engines/port/start-for-tests.ts';
import { recordIn } from '../record-change.ts';
import { createQuarantine, recordSetAside } from './quarantine.ts';

const ORGANIZATION = '0190c4a2-0000-7000-8000-0000000000aa';
const scopeOf = (workspace_id: string) =>
  ({ organization_id: ORGANIZATION, workspace_id, kind: 'admin', key_id: 'key-1', identity: {} }) as unknown as Scope;

onEachDatabase('the quarantine of executions', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  it('is written to the audit log and the log, and only its workspace sees it and ends it', async () => {
    const clock = { ms: 1_800_000_000_000 };
    const now = () => clock.ms;
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const audit = createAuditService({ database, now });
    const embedded = engineForTests(database, now, { onSetAside: recordSetAside(audit), log });
    const service = createQuarantine({ quarantine: embedded.quarantine, record: recordIn(audit) });
    const { executionId } = await embedded.engine.start(startOf('any', null, { organizationId: ORGANIZATION }));
    for (let i = 0; i < 3; i++) {
      const names = { deployment_name: 'main', worker_name: `worker-${i}`, workflows: ['any'], steps: [] };
      const request = { ...names, max_workflow_tasks: 1, max_step_tasks: 1, wait_ms: 1 };
      expect(
        (await embedded.workers.poll(WORKSPACE, request, AbortSignal.timeout(20_000))).workflow_tasks,
      ).toHaveLength(1);
      clock.ms += LEASE_MS;
      while ((await embedded.runDue()) > 0);
    }
    const mine = scopeOf(WORKSPACE);
    const theirs = scopeOf('0190c4a2-0000-7000-8000-0000000000bb');
    const reason = '3 workers did not survive it.';
    expect(await service.count()).toBe(1);
    expect(await service.list(theirs)).toEqual([]);
    expect(await service.list(mine)).toMatchObject([{ id: executionId, name: 'any', deaths: 3, reason }]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, execution_id: executionId, reason }]);
    await expect(service.retry(theirs, executionId)).rejects.toMatchObject({ code: 'execution_not_found' });
    await service.retry(mine, executionId);
    expect(await service.count()).toBe(0);
    const target = { target_type: 'WORKFLOW_EXECUTION', target_metadata: { id: executionId } };
    expect(await audit.list(database.db, ORGANIZATION)).toMatchObject([
      { event_type: 'workflow.execution.retry', actor_type: 'API_KEY', ...target },
      {
        event_type: 'workflow.execution.quarantine',
        actor_type: 'OTHER',
        actor_metadata: { name: 'platform' },
        event_metadata: { deaths: '3', reason },
        ...target,
      },
    ]);
  });
});
