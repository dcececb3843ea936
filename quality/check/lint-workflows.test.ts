import { expect, it } from 'vitest';
import { findWorkflowFaults } from './lint-workflows.ts';

const workflow = (job: string) => `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n${job}`;

it('the check of workflow files passes what GitHub takes, and names the place of each fault', async () => {
  const steps = '    steps:\n      - run: npm ci\n';
  const files = new Map([
    ['good.yml', workflow(`    timeout-minutes: 10\n${steps}`)],
    ['key.yml', workflow(`    timeout-minute: 10\n${steps}`)],
    ['needs.yml', workflow(`    needs: build\n${steps}`)],
    ['expression.yml', workflow(`    name: test on \${{ matrix.node }}\n${steps}`)],
  ]);
  expect(await findWorkflowFaults(files)).toEqual([
    expect.stringMatching(/^key\.yml:5:5 unexpected key "timeout-minute"/),
    expect.stringMatching(/^needs\.yml:3:3 job "test" needs job "build" which does not exist/),
    expect.stringMatching(/^expression\.yml:5:\d+ property "node" is not defined/),
  ]);
});
