import SqliteConnection from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { createStatements } from './statements.ts';

it('keeps what is used, however many other statements there are, and prepares again what was long ago', () => {
  const connection = new SqliteConnection(':memory:');
  onTestFinished(() => void connection.close());
  const prepared: string[] = [];
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((text: string) => {
    prepared.push(text);
    return prepare(text);
  }) as typeof connection.prepare;
  const statements = createStatements(connection);
  const often = 'select 1 as often';
  for (let n = 0; n < 1200; n++) {
    expect(statements.execute(`select ${n} as n`, []).rows).toEqual([{ n }]);
    expect(statements.execute(often, []).rows).toEqual([{ often: 1 }]);
  }
  expect(prepared.filter((text) => text === often)).toHaveLength(1);
  statements.execute('select 1199 as n', []);
  statements.execute('select 0 as n', []);
  expect(prepared.filter((text) => text === 'select 1199 as n')).toHaveLength(1);
  expect(prepared.filter((text) => text === 'select 0 as n')).toHaveLength(2);
});
