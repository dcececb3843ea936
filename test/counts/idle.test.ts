import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { onSqliteFirst } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import { countStatements } from '../support/statements.ts';

const PER_SECOND_MAX = 4;
const WATCHED_MS = 2000;

onSqliteFirst('a server that nobody uses', (test) => {
  it('sends its database at most four statements a second', async () => {
    const server = await startTestServer(test);
    // What a start leaves to be done; time is what is measured here, so it cannot be moved by hand.
    await delay(1000);
    const statements = countStatements();
    await delay(WATCHED_MS);
    const { texts } = statements.stop();
    expect(texts.length, texts.join('\n')).toBeLessThanOrEqual((PER_SECOND_MAX * WATCHED_MS) / 1000);
    expect(texts.length).toBeGreaterThan(0);
    // It would be counted in the next test.
    await server.stop();
  }, 20_000);
});
