import { flushCompileCache } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Platform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { releaseWhenQuiet, tuneCollector } from '../../../src/kit/base/tune-collector.ts';
import { startServer } from '../../../src/main.ts';
import { answer } from '../../bench/processes/answer.ts';

// The real server with its production settings on the data dir and the file in the environment. Reports to its parent
// what only the process itself and its database know.
let platform: Platform | undefined;
const STALL_RESOLUTION_MS = 10;
const loop = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });

tuneCollector();
const settings = { TRAMONTANE_PORT: '0', TRAMONTANE_AUTO_PULL: 'off', TRAMONTANE_CONSOLE: 'off', ...process.env };
const server = await startServer(loadConfig(settings), {
  extraRoutes: (opened) => {
    platform = opened;
    return [];
  },
});

releaseWhenQuiet();
// The next server on this cache starts like a real one, also after a kill.
flushCompileCache();
loop.enable();
answer({
  address: () => ({ url: server.url, link: server.bootstrap.created ? server.bootstrap.link.path : '' }),
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => process.memoryUsage(),
  /** The longest stall of the event loop since the last call. */
  stallMs: () => {
    const stallMs = Math.max(0, loop.max / 1e6 - STALL_RESOLUTION_MS);
    loop.reset();
    return stallMs;
  },
  /** The key of a new tenant in an organization of its own. */
  addTenant: async (name: string) => {
    const ownerEmail = `${name}@elsewhere.test`;
    const organization = await platform?.tenants.createOrganization({ name, plan: 'team', ownerEmail });
    const key = await platform?.tenants.keys.create({
      kind: 'standard',
      organization: organization?.id ?? '',
      user: ownerEmail,
    });
    return key?.value;
  },
  usage: async () => platform?.database.db.selectFrom('usage_records').selectAll().execute(),
});
