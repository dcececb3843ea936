import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandFailure, explainFile } from '../command-failure.ts';
import type { ServiceInput, ServicePlan } from './plan-service.ts';
import { MARK } from './service-facts.ts';

/** Writes the file, and creates the data dir where the manager does not. */
export function writeService(input: ServiceInput, { file, content, facts }: ServicePlan, isForced: boolean): void {
  checkRights(input);
  const account = input.scope === 'system' && isHere(input) ? findAccount(input) : undefined;
  checkOwn(file, isForced);
  try {
    if (isHere(input) && facts.stateDirectory === undefined) createDataDir(facts.dataDir, account);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, content, { mode: 0o644 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw explainFile(error, `Writing ${file}`);
  }
}

export function removeService(input: ServiceInput, file: string, isForced: boolean): void {
  checkRights(input);
  checkOwn(file, isForced);
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw explainFile(error, `Removing ${file}`);
  }
}

/** Whether this machine is meant, and not a directory that becomes another one. */
export function isHere({ root }: ServiceInput): boolean {
  return root === '/';
}

export function checkRights(input: ServiceInput): void {
  if (input.scope === 'system' && isHere(input) && process.getuid?.() !== 0)
    throw new CommandFailure('A service of the system needs root: run this with sudo, or give --user.');
}

/** A file of somebody else is not replaced or removed by accident. */
export function checkOwn(file: string, isForced: boolean): void {
  if (isForced || !existsSync(file) || readFileSync(file, 'utf8').includes(MARK)) return;
  throw new CommandFailure(`${file} was not written by this command. Choose another --name, or give --force.`);
}

type Account = { uid: number; gid: number };

function findAccount({ manager, account }: ServiceInput): Account | undefined {
  // On macOS accounts are in a directory service, not in this file.
  if (manager === 'launchd') return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((entry) => entry.split(':'))
    .find(([name]) => name === account);
  if (!line)
    throw new CommandFailure(
      `There is no user '${account}' in /etc/passwd. Create it: useradd --system --no-create-home --shell /usr/sbin/nologin ${account}. Or give --run-as <user>.`,
    );
  return { uid: Number(line[2]), gid: Number(line[3]) };
}

function createDataDir(dataDir: string, account: Account | undefined): void {
  if (existsSync(dataDir)) return;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (account) chownSync(dataDir, account.uid, account.gid);
}
