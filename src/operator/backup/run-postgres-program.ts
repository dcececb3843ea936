import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../../config/environment.ts';
import { CommandFailure } from '../command-failure.ts';

type Call = { program: 'pg_dump' | 'pg_restore'; args: string[]; url?: string; environment: Environment };

/** Runs a client program of PostgreSQL. Its arguments are visible to all users, so the password is not one of them. */
export async function runPostgresProgram({ program, args, url, environment }: Call): Promise<void> {
  const { database, password } = url === undefined ? {} : splitUrl(url);
  const child = spawn(program, [...(database ? [`--dbname=${database}`] : []), ...args], {
    env: { ...environment, ...(password ? { PGPASSWORD: password } : {}) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-10_000);
  });
  const [code] = await once(child, 'close').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw new CommandFailure(
      `${program} was not found on PATH. Install PostgreSQL's client programs (on Debian and Ubuntu: apt install postgresql-client) and try again.`,
      { cause },
    );
  });
  if (code !== 0) throw new CommandFailure(`${program} failed: ${findError(output, program)}`);
}

/** The address without its password, and the password. */
function splitUrl(text: string): { database: string; password: string } {
  const url = new URL(text);
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
  url.password = '';
  url.searchParams.delete('password');
  return { database: url.href, password };
}

function findError(output: string, program: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /\berror:|fatal:/i.test(text)) ?? lines.at(-1) ?? 'it gave no reason';
  return line.replace(`${program}: error: `, '').trim();
}
