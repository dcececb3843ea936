import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd } from '../support/cleanup.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer } from '../support/server.ts';
import { addKey } from './add-key.ts';
import { expectedFailures } from './expected-failures.ts';
import { startFixtureServer } from './fixture/server.ts';
import { type Findings, runConformance } from './run-conformance.ts';

const revisions = [
  ['2025-11-25', 33],
  ['2026-07-28', 40],
] as const;

describe('the official conformance suite', () => {
  it.each(revisions)(
    'passes in full against the transport with the fixtures of the suite: %s',
    async (revision, count) => {
      const { url, stop } = await startFixtureServer();
      atEnd(stop);
      const findings = withoutExtensions(await runConformance(url, revision));
      expect(failing(findings)).toEqual({});
      expect(findings.size).toBe(count);
    },
  );

  describe('against the real tool server', () => {
    let url: string;
    beforeAll(async () => {
      url = `${await addKey(await startTestServer(sqliteForTests()))}/mcp`;
    });

    it.each(revisions)('fails exactly where a reason is written down: %s', async (revision) => {
      const found = failing(withoutExtensions(await runConformance(url, revision)));
      expect(Object.keys(found).sort(), JSON.stringify(found, null, 2)).toEqual(
        Object.keys(expectedFailures[revision] ?? {}).sort(),
      );
    });
  });
});

// Tasks are an extension of the protocol that this server does not offer; the suite reports them without counting them.
function withoutExtensions(findings: Findings): Findings {
  return new Map([...findings].filter(([scenario]) => !scenario.startsWith('tasks-')));
}

function failing(findings: Findings): Record<string, string[]> {
  return Object.fromEntries([...findings].filter(([, problems]) => problems.length > 0));
}
