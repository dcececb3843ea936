import { expect, it } from 'vitest';
import { answerLate } from '../../test/support/answer-late.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { createSignal } from '../kit/db/index.ts';
import { createLimitCache } from './cache-limits.ts';
import { createTestClock, limit, newPayer, openMetering } from './metering-for-tests.ts';

onEachDatabase('limits in memory', (test) => {
  it('are read again a second after a change, even while an older read is still running', async () => {
    const here = await test.open();
    const elsewhere = await test.open();
    const { now, advance } = createTestClock();
    const payer = newPayer();
    const slow = answerLate(here);
    const signal = createSignal(here, 'limits', now);
    const cache = createLimitCache({ database: slow.database, signal, now, defaults: {} });
    const first = cache.load();
    await slow.asked;
    const { metering } = openMetering(elsewhere, { now, advance });
    await limit(elsewhere, metering, payer, 'workspace', { requests_per_second: 7 });
    advance(1_000);
    const second = cache.load();
    slow.arrive();
    const scope = { kind: 'workspace', id: payer.workspace_id } as const;
    expect((await first)(scope).requests_per_second).toBeNull();
    expect((await second)(scope).requests_per_second).toBe(7);
    await signal.stop();
    await here.close();
    await elsewhere.close();
  });
});
