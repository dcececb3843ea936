import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countResponses, type Responses, subtract } from './count-responses.ts';
import { type Environment, pathWith } from './environments.ts';
import { type Client, type Feature, features } from './read-clients.ts';
import { runProgram } from './run-program.ts';
import type { ClientsServer } from './start-server.ts';

const RUN_MS = 10 * 60_000;

export type Outcome = {
  /** Checks whose line is missing or says something else, with what was printed. */
  failed: Partial<Record<Feature, string>>;
  /** Requests that the server refused, by method, route and status. */
  refused: Responses;
  code: number | null;
  output: string;
};

/** Runs a client's program against the server, with nothing of this machine's settings. */
export async function runClient(client: Client, environment: Environment, server: ClientsServer): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'tramontane-client-'));
  const before = await countResponses(server.url);
  try {
    const { command, args } = environment;
    const { code, stdout, output } = await runProgram(command, args, {
      cwd: home,
      env: {
        PATH: pathWith(environment),
        HOME: home,
        LC_ALL: 'C.UTF-8',
        PYTHONDONTWRITEBYTECODE: '1',
        NO_COLOR: '1',
        TRAMONTANE_URL: server.url,
        TRAMONTANE_API_KEY: server.key,
        TRAMONTANE_EXAMPLES: join(import.meta.dirname, '../../examples'),
      },
      timeoutMs: RUN_MS,
    });
    const refused = subtract(await countResponses(server.url), before);
    if (client.refused) delete refused[client.refused];
    return { failed: judge(client, stdout), refused, code, output };
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function judge({ checks }: Pick<Client, 'checks'>, stdout: string): Outcome['failed'] {
  const printed = new Map(stdout.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string]));
  const wrong = checks.filter((check) => !features[check].test(printed.get(check) ?? ''));
  return Object.fromEntries(wrong.map((check) => [check, printed.get(check) ?? '(nothing)']));
}

export function isGood({ failed, refused, code }: Outcome): boolean {
  return code === 0 && Object.keys(failed).length === 0 && Object.keys(refused).length === 0;
}
