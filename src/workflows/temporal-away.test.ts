import { expect, it, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startTestServer } from '../../test/support/server.ts';
import { freePort, startTemporal } from '../../test/support/temporal.ts';
import { temporal } from '../../test/support/temporal-program.ts';
import { connect } from './engines/temporal/connect.ts';
import { definitionOf, register } from './workflows-for-tests.ts';

inFull.given(temporal).describe('while Temporal is away', () => {
  it('a start is kept, shown as running, and begins once when Temporal is back', async () => {
    const port = await freePort();
    const environment = {
      TRAMONTANE_TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    };
    const server = await startTestServer(sqliteForTests(), { environment });
    expect((await call(server, '/readyz')).status).toBe(503);
    await register(server, [definitionOf('patient')]);
    const headers = { 'idempotency-key': 'once' };
    const body = { input: { n: 1 }, execution_id: 'waits' };
    const first = await call(server, '/v1/workflows/patient/execute', { body, headers });
    expect(first).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    const second = await call(server, '/v1/workflows/patient/execute', { body, headers });
    expect(second.body).toEqual(first.body);
    expect((await call(server, '/v1/workflows/executions/waits')).body).toMatchObject({ status: 'RUNNING' });

    await startTemporal(port);
    const { body: who } = await vi.waitUntil(
      async () => {
        const answer = await call(server, '/v1/workflows/workers/whoami');
        return answer.status === 200 && answer;
      },
      { timeout: 30_000, interval: 100 },
    );
    const { namespace } = who as { namespace: string };
    const connection = connect({ address: `127.0.0.1:${port}` });
    const history = await vi.waitUntil(
      () =>
        connection.workflowService
          .getWorkflowExecutionHistory({ namespace, execution: { workflowId: 'waits' } })
          .catch(() => undefined),
      { timeout: 30_000, interval: 100 },
    );
    expect(history?.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name).toBe('patient');
    expect((await call(server, '/readyz')).status).toBe(200);
    expect((await call(server, '/v1/workflows/executions/waits/terminate', { method: 'POST' })).status).toBe(204);
    expect((await call(server, '/v1/workflows/executions/waits')).body).toMatchObject({ status: 'TERMINATED' });
    await connection.close();
  }, 120_000);
});
