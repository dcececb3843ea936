import { describe, expect, it } from 'vitest';
import { type Outcome, type Part, runParts } from './run-parts.ts';

const node = (name: string, code: string): Part => ({ name, command: process.execPath, args: ['-e', code] });

async function run(...parts: Part[]) {
  const outcomes: Outcome[] = [];
  const isPassed = await runParts(parts, 2, (outcome) => outcomes.push(outcome));
  const byName = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
  return { isPassed, byName };
}

describe('the parts of the check', () => {
  it('pass together when each of them does', async () => {
    const { isPassed, byName } = await run(node('a', ''), node('b', ''), node('c', ''));
    expect(isPassed).toBe(true);
    expect([...byName.keys()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('fail when one of them does, which is shown with what it printed, and the others still run', async () => {
    const complain = `console.log('one'); console.error('two'); process.exitCode = 3`;
    const { isPassed, byName } = await run(node('bad', complain), node('b', ''), node('c', ''));
    expect(isPassed).toBe(false);
    expect(byName.get('bad')?.isPassed).toBe(false);
    for (const text of ['one', 'two']) expect(byName.get('bad')?.output).toContain(text);
    expect(byName.get('c')).toMatchObject({ isPassed: true });
  });

  it('fail when a program is missing or is killed', async () => {
    const missing = { name: 'missing', command: '/nowhere/program', args: [] };
    const { isPassed, byName } = await run(missing, node('killed', `process.kill(process.pid, 'SIGKILL')`));
    expect(isPassed).toBe(false);
    expect([...byName.values()].map((outcome) => outcome.isPassed)).toEqual([false, false]);
    expect(byName.get('missing')?.output).toContain('ENOENT');
  });
});
