import { parseArgs } from 'node:util';
import { checkPort } from './check-port.ts';
import { serveConsole } from './serve-console.ts';
import { superviseServer } from './supervise-server.ts';

const HELP = `npm run dev -- [--port <number>] [--console-port <number>]

Runs the server and the console from their sources, in one terminal:
  --port          of the server; default TRAMONTANE_PORT or 4747. It restarts when a source of it changes.
  --console-port  of Vite, which serves the console with hot reload and passes every other path on; default 5173.
All variables of docs/configuration.md hold, such as TRAMONTANE_DATA_DIR. Ctrl-C ends both.`;

const HOST = '127.0.0.1';
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: process.env.TRAMONTANE_PORT ?? '4747' },
    'console-port': { type: 'string', default: '5173' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const port = await checkPort(HOST, values.port, '--port');
const consolePort = await checkPort(HOST, values['console-port'], '--console-port');
const [serverUrl, consoleUrl] = [`http://${HOST}:${port}`, `http://${HOST}:${consolePort}`];

const vite = await serveConsole({ host: HOST, port: consolePort, serverUrl });
const server = superviseServer({
  watcher: vite.watcher,
  url: serverUrl,
  environment: {
    TRAMONTANE_HOST: HOST,
    TRAMONTANE_PORT: String(port),
    // Vite serves the console, so the server need not build it, and its links lead to Vite.
    TRAMONTANE_CONSOLE: 'off',
    TRAMONTANE_PUBLIC_URL: process.env.TRAMONTANE_PUBLIC_URL ?? consoleUrl,
  },
  onReady: () =>
    console.log(
      `\ndev: server   ${serverUrl}   restarts when its sources change\n` +
        `dev: console  ${consoleUrl}/console/   reloads by itself; passes other paths on to the server\n`,
    ),
});

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, async () => {
    // The same signal: after Ctrl-C the server already has it from the terminal, and another one would count as a second.
    const stopped = server.stop(signal);
    if (isStopping) return;
    isStopping = true;
    await Promise.all([stopped, vite.close()]);
    process.exit(0);
  });
