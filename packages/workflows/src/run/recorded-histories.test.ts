import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workflows } from '../../histories/workflows.ts';
import type { AnyWorkflow } from '../definitions.ts';
import type { HistoryEvent } from '../protocol.ts';
import { replayHistory } from './memory-run-for-tests.ts';

const dir = join(import.meta.dirname, '../../histories');
const names = readdirSync(dir).filter((file) => file.endsWith('.json'));

function read(file: string): { workflow: AnyWorkflow; run_id: string; history: HistoryEvent[] } {
  const recorded = JSON.parse(readFileSync(join(dir, file), 'utf8')) as { run_id: string; history: HistoryEvent[] };
  const workflow = workflows.find(({ name }) => `${name}.json` === file);
  if (!workflow) throw new Error(`${file} has no workflow`);
  return { workflow, ...recorded };
}

describe('histories that older versions made', () => {
  it('are here for each workflow that was recorded', () => {
    expect(names.toSorted()).toEqual(workflows.map(({ name }) => `${name}.json`).toSorted());
  });

  it.each(names)('%s is read back to its end', async (file) => {
    const { workflow, run_id, history } = read(file);
    const { execution, failure } = await replayHistory(workflow, history, run_id);
    expect(failure).toBeUndefined();
    expect(execution.hasEnded).toBe(true);
    expect(execution.lastEventId).toBe(history.at(-1)?.id);
  });

  it.each(names)('%s can be taken over after each of its turns', async (file) => {
    const { workflow, run_id, history } = read(file);
    for (const [at, { type }] of history.entries()) {
      if (type !== 'WORKFLOW_TASK_SCHEDULED') continue;
      const { failure } = await replayHistory(workflow, history.slice(0, at), run_id);
      expect(failure, `up to event ${at}`).toBeUndefined();
    }
  });

  it('give what they gave: the same ids and numbers by chance, and the same result', async () => {
    const { workflow, run_id, history } = read('recorded-sequence.json');
    const last = history.at(-1);
    const changed = history.with(-1, {
      ...(last as HistoryEvent),
      type: 'WORKFLOW_EXECUTION_FAILED',
      attributes: { failure: { message: 'x' } },
    });
    expect((await replayHistory(workflow, changed, run_id)).failure?.message).toContain('the end of the workflow');
    const { execution } = await replayHistory(workflow, history.slice(0, -3), run_id);
    const commands = await execution.takeTurn(
      history.slice(-5).filter(({ type }) => type === 'TIMER_FIRED'),
      last?.time_ms ?? 0,
      async () => undefined,
    );
    expect(commands).toEqual([{ type: 'complete', result: last?.attributes.result }]);
  });
});
