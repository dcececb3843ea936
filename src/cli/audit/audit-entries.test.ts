import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { useOperator } from '../run-here-for-tests.ts';

const { run, dataOf } = useOperator();

describe('the audit log', () => {
  it('is listed with filters', async () => {
    for (const name of ['ann', 'bo', 'cy']) await dataOf('users', 'add', `${name}@example.test`);
    const { entries } = await dataOf('audit', 'list', '--events', 'workspace.create,user.create', '--limit', '3');
    expect(entries).toHaveLength(3);
    expect(await run('audit', 'list', '--events', 'nothing')).toMatchObject({ code: 2 });
    expect(await run('audit', 'list', '--after', 'never')).toMatchObject({ code: 2 });
    expect((await run('audit', 'list')).stdout).toMatch(/ENTRY +TIME +EVENT +ACTOR +TARGET\n/);
  });

  it('is exported as lines of JSON to a new file, then pruned, and is still whole', async () => {
    const file = join(temporaryDir(), 'audit.jsonl');
    const { entries } = await dataOf('audit', 'export', file);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(entries);
    expect(lines.map(({ log_id }) => log_id)).toEqual(lines.map((_, index) => index + 1));
    expect(lines[1].previous_hash).toBe(lines[0].hash);
    expect(await run('audit', 'export', file)).toMatchObject({ code: 1 });
    expect(await dataOf('audit', 'prune', '--older-than', '1d')).toMatchObject({ pruned: 0, broken: [] });
    expect(await run('audit', 'prune')).toMatchObject({ code: 2 });
    expect(await dataOf('audit', 'verify')).toMatchObject({ ok: true });
  });
});
