import type { Platform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { tuneCollector } from '../../../src/kit/base/tune-collector.ts';
import { startServer } from '../../../src/main.ts';
import { answer } from '../../bench/processes/answer.ts';

// The real server with its production settings on the data dir and the file in the environment. Reports to its parent
// what only the process itself and its database know.
let platform: Platform | undefined;

tuneCollector();
const settings = { TRAMONTANE_PORT: '0', TRAMONTANE_AUTO_PULL: 'off', TRAMONTANE_CONSOLE: 'off', ...process.env };
const server = await startServer(loadConfig(settings), {
  extraRoutes: (opened) => {
    platform = opened;
    return [];
  },
});

answer({
  address: () => ({ url: server.url, link: server.bootstrap.created ? server.bootstrap.link.path : '' }),
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => process.memoryUsage(),
  usage: async () => platform?.database.db.selectFrom('usage_records').selectAll().execute(),
});
