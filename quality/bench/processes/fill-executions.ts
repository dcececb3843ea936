import SqliteConnection from 'better-sqlite3';
import { answer } from './answer.ts';

// Copies one ended and one sleeping execution as often as asked, with ids of their own, as fast as SQLite allows.
const [file = ''] = process.argv.slice(2);
const connection = new SqliteConnection(file);
const PER_TRANSACTION = 50_000;

answer({
  fill({ ended, sleeping }: { ended: number; sleeping: number }): void {
    connection.pragma('journal_mode = OFF');
    connection.pragma('synchronous = OFF');
    connection.pragma('cache_size = -262144');
    copy('COMPLETED', ended);
    copy('RUNNING', sleeping);
    connection.pragma('journal_mode = WAL');
    connection.close();
  },
});

function copy(status: string, count: number): void {
  const model = connection.prepare('select * from workflow_runs where status = ? limit 1').get(status) as
    | { run_id: string }
    | undefined;
  if (!model) throw new Error(`There is no execution that is ${status}.`);
  for (let from = 0; from < count; from += PER_TRANSACTION)
    connection.transaction(() => {
      for (const table of ['workflow_runs', 'workflow_history', 'workflow_timers'])
        copyRows(table, model.run_id, from, Math.min(count, from + PER_TRANSACTION));
    })();
}

const OWN_IDS = new Set(['run_id', 'execution_id', 'root_execution_id', 'first_run_id', 'chain_run_id']);

function copyRows(table: string, runId: string, from: number, to: number): void {
  const columns = (connection.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  // Ids that sort like those of the server, which begin with the time.
  const values = columns.map((name) => (OWN_IDS.has(name) ? `printf('%s-%08d', model.${name}, n.n)` : `model.${name}`));
  connection
    .prepare(
      `with recursive n (n) as (select ? union all select n + 1 from n where n + 1 < ?)
       insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from n, ${table} as model where model.run_id = ?`,
    )
    .run(from, to, runId);
}
