import { describe, expect, it } from 'vitest';
import { startTemporal } from '../../../../test/support/temporal.ts';
import { temporal } from '../../../../test/support/temporal-program.ts';
import { connect, ping } from './connect.ts';
import { createNamespaces } from './namespaces.ts';

describe.runIf(temporal)('namespaces of a Temporal cluster', () => {
  it('are made once for a workspace, by however many ask at once, and are ready to be used', async () => {
    const connection = connect({ address: await startTemporal() });
    const processes = [createNamespaces(connection, 'tramontane'), createNamespaces(connection, 'tramontane')];
    const names = await Promise.all(processes.flatMap((one) => [one.ensureNamespace('w1'), one.ensureNamespace('w1')]));
    expect(new Set(names)).toEqual(new Set(['tramontane-w1']));

    const found = await connection.operatorService.listSearchAttributes({ namespace: 'tramontane-w1' });
    expect(Object.keys(found.customAttributes)).toContain('OtelTraceId');
    await expect(
      connection.workflowService.countWorkflowExecutions({ namespace: 'tramontane-w1', query: "OtelTraceId = 'x'" }),
    ).resolves.toMatchObject({ groups: [] });
    await connection.close();
  }, 90_000);
});

describe('a cluster that is not there', () => {
  it('is told from one that is, and a namespace is asked for again by the next who needs it', async () => {
    const connection = connect({ address: '127.0.0.1:1' });
    await expect(ping(connection, 500)).rejects.toThrow();
    const { ensureNamespace } = createNamespaces(connection, 'tramontane');
    const first = connection.withDeadline(Date.now() + 300, () => ensureNamespace('w1'));
    await expect(first).rejects.toThrow();
    const second = connection.withDeadline(Date.now() + 300, () => ensureNamespace('w1'));
    expect(second).not.toBe(first);
    await expect(second).rejects.toThrow();
    await connection.close();
  }, 30_000);
});
