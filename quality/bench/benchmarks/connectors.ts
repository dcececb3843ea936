import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { loadConfig } from '../../../src/config/config.ts';
import { startServer } from '../../../src/main.ts';
import { call } from '../../../test/support/call.ts';
import { cleanUp } from '../../../test/support/cleanup.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { completion, json, startUpstream } from '../../../test/support/upstream.ts';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';
import { median } from '../statistics.ts';

const KEY = 'the-key-of-the-benchmark-of-connectors-0123456789';
const CROWD = 1000;

/** Server, MCP server and client share this process, so a figure has the work of all three. */
export const connectors: Benchmark = {
  name: 'connectors',
  summary:
    'a tool call through a stored connector against a warm session of the client library, and 1,000 connectors beside it',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const rounds = quick ? 30 : 200;
      const [wiki, upstream] = [await startFakeMcp(), await startUpstream()];
      upstream.answerWith((_call, response) => json(response, 200, completion('Hello')));
      const file = join(directory, 'tramontane.yaml');
      const models = [{ id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'scripted' }];
      writeFileSync(file, JSON.stringify({ models, outbound: { allow: [wiki.place] } }));
      const server = await startServer(
        loadConfig({
          TRAMONTANE_PORT: '0',
          TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
          TRAMONTANE_DATA_DIR: join(directory, 'data'),
          TRAMONTANE_CONFIG: file,
          TRAMONTANE_LOG_LEVEL: 'silent',
          TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
        }),
      );
      const place = { url: server.url, key: KEY };
      const make = (name: string) =>
        call(place, '/v1/connectors', { body: { name, description: 'x', server: wiki.url } });
      const client = new Client({ name: 'bench', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(wiki.url)));
      const direct = () => client.callTool({ name: 'echo', arguments: { text: 'Hi' } });
      const ours = () => call(place, '/v1/connectors/wiki/tools/echo/call', { body: { arguments: { text: 'Hi' } } });
      const body = { model: 'small', inputs: 'Hi', tools: [{ type: 'connector', connector_id: 'wiki' }] };
      const turn = () => call(place, '/v1/conversations', { body });
      try {
        await make('wiki');
        await call(place, '/v1/connectors/wiki/user/credentials', {
          body: { name: 'main', credentials: { bearer_token: 'a-token-of-the-benchmark' } },
        });
        progress('connectors: tool calls');
        const [plain, through] = await timeBoth(direct, ours, rounds);
        progress('connectors: turns beside few');
        const alone = await time(turn, rounds);
        for (let made = 0; made < CROWD; made++) await make(`beside-${made}`);
        progress('connectors: turns beside many');
        const crowded = await time(turn, rounds);
        return [
          {
            name: 'added to a tool call, p50',
            value: through - plain,
            unit: 'ms',
            target: { at: '≤', value: 5 },
            note: `${through.toFixed(1)} ms against ${plain.toFixed(1)} ms`,
          },
          {
            name: `a turn with one of ${CROWD} connectors against one of one, p50`,
            value: crowded / alone,
            unit: '×',
            target: { at: '≤', value: 1.1 },
            note: `${crowded.toFixed(1)} ms against ${alone.toFixed(1)} ms`,
          },
        ];
      } finally {
        await client.close();
        await server.stop();
        await cleanUp();
      }
    }),
};

async function timeBoth(one: () => Promise<unknown>, other: () => Promise<unknown>, rounds: number) {
  const took: [number[], number[]] = [[], []];
  for (let round = -10; round < rounds; round++)
    for (const [at, run] of [one, other].entries()) {
      const before = performance.now();
      await run();
      if (round >= 0) took[at]?.push(performance.now() - before);
    }
  return took.map(median) as [number, number];
}

async function time(run: () => Promise<unknown>, rounds: number): Promise<number> {
  return (await timeBoth(run, async () => undefined, rounds))[0];
}
