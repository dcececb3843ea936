import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { createAuditService } from '../../audit/index.ts';
import { createLog } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import { engineForTests, startDeadly } from '../engines/embedded/engine-for-tests.ts';
import { WORKSPACE } from '../engines/port/start-for-tests.ts';
import { createQuarantine, recordSetAside } from './quarantine.ts';

const ORGANIZATION = '0190c4a2-0000-7000-8000-0000000000aa';

onEachDatabase('the quarantine of executions', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });
  afterAll(() => database?.close());

  it('is written to the audit log and the log, is listed by workspace, and ends by a retry', async () => {
    const clock = { ms: 1_800_000_000_000 };
    const now = () => clock.ms;
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const audit = createAuditService({ database, now });
    const embedded = engineForTests(database, now, { onSetAside: recordSetAside(audit), log });
    const service = createQuarantine({ quarantine: embedded.quarantine, audit });
    const { executionId, runId } = await startDeadly(embedded, clock, { organizationId: ORGANIZATION });
    const reason = '3 workers did not survive it.';
    expect(await service.count()).toBe(1);
    expect(await service.list('0190c4a2-0000-7000-8000-0000000000bb')).toEqual([]);
    const [execution] = await service.list(WORKSPACE);
    expect(execution).toMatchObject({ executionId, runId, workflowName: 'any', deaths: 3, reason });
    expect(await service.list()).toEqual([execution]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, execution_id: executionId, reason }]);
    if (execution) await service.retry(execution, { type: 'API_KEY', metadata: { id: 'key-1' } });
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
