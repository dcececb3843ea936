import { execFile } from 'node:child_process';
import type { Environment } from '../../config/environment.ts';
import type { Manager, Scope } from './service-facts.ts';

/** A stop waits for running requests, so `disable --now` may take as long as a drain. */
const COMMAND_MS = 3_700_000;
const QUERY_MS = 10_000;

export type Ran = { code: number | 'missing'; output: string };

/** The commands that load and start the file of a service, and those that stop and unload it. */
export function commandsOf(manager: Manager, scope: Scope, name: string, file: string) {
  if (manager === 'launchd') {
    const domain = scope === 'system' ? 'system' : `gui/${process.getuid?.() ?? 0}`;
    return {
      install: [['launchctl', 'bootstrap', domain, file]],
      stop: [['launchctl', 'bootout', `${domain}/${name}`]],
      forget: [],
      query: ['launchctl', 'print', `${domain}/${name}`],
    };
  }
  const systemctl = ['systemctl', ...(scope === 'user' ? ['--user'] : [])];
  return {
    install: [
      [...systemctl, 'daemon-reload'],
      [...systemctl, 'enable', '--now', name],
    ],
    stop: [[...systemctl, 'disable', '--now', name]],
    forget: [[...systemctl, 'daemon-reload']],
    query: [...systemctl, 'show', name, '--property=ActiveState,SubState,MainPID,UnitFileState'],
  };
}

/** Runs a command of the service manager to its end. */
export function runCommand([program = '', ...args]: string[], environment: Environment): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { env: environment, timeout: COMMAND_MS }, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') return resolve({ code: 'missing', output: `${program} was not found` });
      const output = `${stdout}${stderr}`.trim();
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, output });
    });
  });
}

export type ServiceState = { active: boolean; enabled: boolean | undefined; pid: number | undefined; detail: string };

/** What the manager says about the service; undefined if it cannot be asked. */
export async function queryState(
  manager: Manager,
  query: string[],
  environment: Environment,
): Promise<ServiceState | undefined> {
  const asked = runCommand(query, environment);
  const limit = new Promise<Ran>((resolve) => {
    setTimeout(() => resolve({ code: 'missing', output: '' }), QUERY_MS).unref();
  });
  const { code, output } = await Promise.race([asked, limit]);
  return manager === 'systemd' ? readSystemd(code, output) : readLaunchd(code, output);
}

function readSystemd(code: Ran['code'], output: string): ServiceState | undefined {
  const said = new Map(output.split('\n').map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]));
  const active = said.get('ActiveState');
  if (code !== 0 || active === undefined) return undefined;
  return {
    active: active === 'active',
    enabled: said.get('UnitFileState') === 'enabled',
    pid: Number(said.get('MainPID')) || undefined,
    detail: `${active} (${said.get('SubState')})`,
  };
}

function readLaunchd(code: Ran['code'], output: string): ServiceState | undefined {
  if (code === 'missing') return undefined;
  const state = /^[\t ]*state = (.+)$/m.exec(output)?.[1] ?? 'not loaded';
  const pid = Number(/^[\t ]*pid = (\d+)$/m.exec(output)?.[1]) || undefined;
  return { active: state === 'running', enabled: undefined, pid, detail: state };
}
