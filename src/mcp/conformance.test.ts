import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { rounds } from '../../test/support/rounds.ts';
import { startTestServer } from '../../test/support/server.ts';
import { addKey } from './add-key-for-tests.ts';
import { expectedFailures } from './expected-failures-for-tests.ts';
import { type Findings, runRequirements, runScenario } from './run-conformance-for-tests.ts';
import { startFixtureServer } from './server-for-tests/server.ts';

const revisions = [
  ['2025-11-25', 33],
  ['2026-07-28', 40],
] as const;

describe('the official conformance suite', () => {
  inFull.it.each(revisions)(
    'passes in full against the transport with the fixtures of the suite: %s',
    async (revision, count) => {
      const { url, stop } = await startFixtureServer();
      atEnd(stop);
      const findings = withoutTasks(await runRequirements(url, revision));
      expect(failing(findings)).toEqual([]);
      expect(findings.size).toBe(count);
    },
  );

  describe('against the real tool server', () => {
    let url: string;
    beforeAll(async () => {
      const server = await startTestServer(sqliteForTests());
      for (const [name, content] of [
        ['test_simple_prompt', 'This is a simple prompt for testing.'],
        ['test_prompt_with_arguments', "Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'"],
      ]) {
        await call(server, '/v2/prompts', { body: { name, description: 'For the suite', definition: { content } } });
      }
      const assets = { 'references/guide.md': { textContent: 'x' }, 'scripts/run.sh': { textContent: 'echo' } };
      const definition = { description: 'Shows what a skill is', body: 'Read on.\n', assets };
      await call(server, '/v2/skills', { body: { name: 'example', definition } });
      url = `${await addKey(server)}/mcp`;
    });

    it.each(rounds(revisions.slice(-1), [...revisions]))(
      'fails exactly where a reason is written down: %s [MCP-CONFORMANCE]',
      async (revision) => {
        const expected = Object.values(expectedFailures[revision]).flat();
        expect(failing(withoutTasks(await runRequirements(url, revision)))).toEqual(expected.toSorted());
      },
    );

    inFull.it.each(['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory'])(
      'passes %s: skills over MCP',
      async (scenario) => {
        const findings = await runScenario(url, '2026-07-28', scenario);
        expect([...findings]).toEqual([[scenario, []]]);
      },
    );
  });
});

// Tasks are an extension of the protocol that this server does not offer; the suite reports them without counting them.
function withoutTasks(findings: Findings): Findings {
  return new Map([...findings].filter(([scenario]) => !scenario.startsWith('tasks-')));
}

function failing(findings: Findings): string[] {
  return [...findings].flatMap(([scenario, checks]) => checks.map((check) => `${scenario}: ${check}`)).sort();
}
