import { sql } from 'kysely';
import { makeObjects, settle } from '../../campaigns/tenants/make-objects.ts';
import { openWorlds } from '../../campaigns/tenants/worlds.ts';
import { families } from '../growth/families.ts';
import { fillFamily } from '../growth/fill-family.ts';
import { answer } from './answer.ts';

// A server with one of everything, whose tables grow on demand.
const [directory = '', url = ''] = process.argv.slice(2);
const worlds = await openWorlds(directory, url === '' ? undefined : { kind: 'postgres', url });
const { owner, server } = worlds;
await makeObjects(worlds, owner);
await settle(worlds, [owner]);
const { database } = server.platform;

const familyOf = (name: string) => {
  const family = families[name];
  if (!family) throw new Error(`There is no family '${name}'.`);
  return family;
};

answer({
  address: () => ({ url: server.url, key: owner.key, adminKey: owner.adminKey ?? '', ids: owner.ids }),
  fill: ({ name, from, to }: { name: string; from: number; to: number }) =>
    fillFamily(database, familyOf(name), owner.ids, from, to),
  /** The processes that work for a request. */
  async workers() {
    if (database.kind === 'sqlite') return [process.pid];
    const backends = sql<{
      pid: number;
    }>`select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`;
    return [process.pid, ...(await backends.execute(database.db)).rows.map(({ pid }) => pid)];
  },
});
