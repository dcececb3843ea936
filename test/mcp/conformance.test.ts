import { expect, it } from 'vitest';
import { atEnd } from '../support/cleanup.ts';
import { startFixtureServer } from './fixture/server.ts';
import { runConformance } from './run-conformance.ts';

it.each([
  ['2025-11-25', 33],
  ['2026-07-28', 40],
])('the transport passes every scenario that the official suite has for a server of %s', async (revision, count) => {
  const { url, stop } = await startFixtureServer();
  atEnd(stop);
  const findings = await runConformance(url, revision);
  for (const scenario of findings.keys()) if (isExtension(scenario)) findings.delete(scenario);
  expect([...findings].filter(([, problems]) => problems.length > 0)).toEqual([]);
  expect(findings.size).toBe(count);
});

// Tasks are an extension of the protocol that this server does not offer; the suite reports them without counting them.
function isExtension(scenario: string): boolean {
  return scenario.startsWith('tasks-');
}
