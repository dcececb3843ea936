import { resolve } from 'node:path';
import { createServer, type ViteDevServer } from 'vite';

const CONSOLE_DIR = resolve(import.meta.dirname, '../../console');

/** Runs Vite on the sources of the console. All other paths are proxied to the server, as in production. */
export async function serveConsole(options: { host: string; port: number; serverUrl: string }): Promise<ViteDevServer> {
  const { host, port, serverUrl } = options;
  // The Host header stays as the browser sent it: the server compares it with Origin.
  const toServer = { target: serverUrl, changeOrigin: false };
  const vite = await createServer({
    root: CONSOLE_DIR,
    configFile: `${CONSOLE_DIR}/vite.config.ts`,
    configLoader: 'native',
    // The server prints to the same terminal, so Vite does not clear it.
    clearScreen: false,
    logLevel: 'warn',
    server: {
      host,
      port,
      strictPort: true,
      proxy: { '/console/api': toServer, '^/(?!console(/|$))': toServer },
    },
  });
  return vite.listen();
}
