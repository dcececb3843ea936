import { temporal } from '@temporalio/proto';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../test/support/fake-temporal.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { definitionOf, register } from './workflows-for-tests.ts';

const { EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW } =
  temporal.api.enums.v1.EventType;
const eventTime = { seconds: 1_800_000_000 } as never;
const completed = { eventId: 9 as never, eventType: EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, eventTime };
const continuedAs = (newExecutionRunId: string) => ({
  eventId: 9 as never,
  eventType: EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
  eventTime,
  workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId, workflowType: { name: 'named' } },
});

onEachDatabase('the name of an execution on Temporal', (database) => {
  let server: TestServer;
  let cluster: FakeTemporal;
  beforeAll(async () => {
    cluster = await startFakeTemporal();
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    server = await startTestServer(database, { environment });
    await register(server, [definitionOf('named')]);
  });
  const start = (execution_id: string) =>
    call(server, '/v1/workflows/named/execute', { body: { input: {}, execution_id } });

  it('is refused while it is held, without waiting for the end of who holds it [WORKFLOWS-EXECUTE-DUPLICATE]', async () => {
    cluster.nameRuns({ held: 'run-1' });
    expect((await start('held')).status).toBe(200);
    cluster.nameRuns({});
    const before = cluster.asked.length;
    expect(await start('held')).toMatchObject({ status: 409, body: { code: 'WF_1101' } });
    // Temporal answers to a question for the event that ends a run when there is one.
    expect(cluster.asked.slice(before).map((each) => each.call)).toEqual(['GetWorkflowExecutionHistoryReverse']);
    cluster.finish('run-1', completed);
    expect((await start('held')).status).toBe(200);
  });

  it('is free when the last run is over that its execution went on in, though nobody told of any', async () => {
    cluster.nameRuns({ chain: 'chain-1' });
    expect((await start('chain')).status).toBe(200);
    cluster.nameRuns({});
    const first = { eventId: 1 as never, eventTime };
    for (const runId of ['chain-2', 'chain-3']) cluster.add({ executionId: 'chain', runId, first });
    cluster.finish('chain-1', continuedAs('chain-2'));
    cluster.finish('chain-2', continuedAs('chain-3'));
    expect((await start('chain')).status).toBe(409);
    cluster.finish('chain-3', completed);
    expect((await start('chain')).status).toBe(200);
    const { body } = await call(server, '/v1/workflows/runs?search=chain');
    const statuses = (body as { executions: { status: string }[] }).executions.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW', 'CONTINUED_AS_NEW', 'RUNNING']);
  });
});
