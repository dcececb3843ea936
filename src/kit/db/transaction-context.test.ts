import { expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { keptAfter } from '../../../test/support/young-memory.ts';
import { afterCommit } from './transaction-context.ts';

const ROUNDS = 100;
const BYTES = 64 * 1024;

onEachDatabase('a transaction', (database) => {
  it('leaves nothing that waits for a full collection, also where a hook refers to it', async () => {
    const { transaction } = await database.open();
    const kept = await keptAfter(ROUNDS, (round) =>
      transaction(async (tx) => {
        const written = new Array(BYTES / 8).fill(round + 0.5);
        afterCommit(tx, () => [tx, written].length);
      }),
    );
    expect(kept).toBeLessThan((ROUNDS * BYTES) / 4);
  });
});
