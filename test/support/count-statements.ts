import SqliteConnection, { type Statement } from 'better-sqlite3';
import pg from 'pg';
import { onTestFinished } from 'vitest';

type Recorded = {
  /** In order, those of transactions included; not their begin and commit. */
  statements: string[];
  /** The statements of each transaction that was committed. */
  commits: string[][];
  clear(): void;
};

const BOUNDARIES = new Map([
  ['begin', 'begin'],
  ['begin immediate', 'begin'],
  ['commit', 'commit'],
  ['rollback', 'rollback'],
]);

/**
 * Records what this process asks its databases until the test ends: a measure of work that does not depend on the machine.
 * `about` leaves out what others do meanwhile: a transaction counts if one of its statements does.
 */
export function recordStatements(about: RegExp): Recorded {
  const recorded: Recorded = {
    statements: [],
    commits: [],
    clear() {
      recorded.statements = [];
      recorded.commits = [];
    },
  };
  const open = new Map<unknown, string[]>();

  function record(connection: unknown, text: string): void {
    const boundary = BOUNDARIES.get(text);
    const within = open.get(connection);
    if (boundary === 'begin') open.set(connection, []);
    else if (boundary) {
      open.delete(connection);
      if (!within?.length) return;
      if (boundary === 'commit') recorded.commits.push(within);
    } else if (about.test(text)) {
      within?.push(text);
      recorded.statements.push(text);
    }
  }

  const client = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = client;
  client.query = function (this: unknown, ...given) {
    const [asked] = given as [string | { text?: string }];
    record(this, typeof asked === 'string' ? asked : (asked?.text ?? ''));
    return query.apply(this, given);
  };
  const statement = statementPrototype();
  const { run, all } = statement;
  statement.run = function (this: Statement, ...given) {
    record(this.database, this.source);
    return run.apply(this, given);
  };
  statement.all = function (this: Statement, ...given) {
    record(this.database, this.source);
    return all.apply(this, given);
  };
  onTestFinished(() => {
    client.query = query;
    Object.assign(statement, { run, all });
  });
  return recorded;
}

function statementPrototype(): Pick<Statement, 'run' | 'all'> {
  const connection = new SqliteConnection(':memory:');
  const prototype = Object.getPrototypeOf(connection.prepare('select 1')) as Pick<Statement, 'run' | 'all'>;
  connection.close();
  return prototype;
}
