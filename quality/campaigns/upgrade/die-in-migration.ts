import type { QueryId, RootOperationNode, UnknownRow } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { version } from '../../../src/config/version.ts';
import { type Database, migrate, openDatabase } from '../../../src/kit/db/index.ts';

// Upgrades the database in the environment and kills itself before its n-th statement; prints how many there were if it lives.
const deadly = Number(process.argv[2]);
let statements = 0;

const killer = {
  transformQuery({ node }: { node: RootOperationNode; queryId: QueryId }): RootOperationNode {
    if (++statements === deadly) process.kill(process.pid, 'SIGKILL');
    return node;
  },
  transformResult: async ({ result }: { result: { rows: UnknownRow[] } }) => result,
};

const database = await openDatabase(loadConfig().database);
const doomed: Database = {
  ...database,
  transaction: (work) => database.transaction((tx) => work(tx.withPlugin(killer))),
};
await migrate(doomed, migrations, version, new Date().toISOString());
// The last possible moment: committed, but not yet reported.
if (statements < deadly) process.kill(process.pid, 'SIGKILL');
await database.close();
process.stdout.write(`${statements}\n`);
