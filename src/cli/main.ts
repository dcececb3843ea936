import { loadConfig } from '../config.ts';
import { startServer } from '../main.ts';

export async function main(_argv: string[]): Promise<void> {
  const config = loadConfig();
  const server = await startServer(config);
  process.stdout.write(`${server.url} ${JSON.stringify(server.bootstrap)}\n`);
  process.once('SIGTERM', () => void server.stop());
}
