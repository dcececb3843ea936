import type { Command, CommandGroup, Option } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

const WHERE: Record<string, Option> = {
  user: { summary: 'a service of your own account (default, unless you are root)' },
  system: { summary: 'a service of the machine, started at boot (default for root)' },
  name: { summary: 'the name of the service (default: tramontane)', value: '<name>' },
  manager: {
    summary: 'the service manager (default: the one of this system)',
    value: '<name>',
    choices: ['systemd', 'launchd'],
  },
  root: { summary: 'write below this directory, for an image; nothing is started or stopped', value: '<dir>' },
};
const FORCE: Option = { summary: 'also replace or remove a file that this command did not write' };

const install: Command = {
  name: 'install',
  summary: 'write a systemd unit or a launchd property list that runs this installation, and show it',
  options: {
    print: { summary: 'print the file and write nothing' },
    now: { summary: 'also enable and start the service' },
    'run-as': { summary: 'the account of a system service (default: tramontane)', value: '<user>' },
    host: { summary: 'the address to listen on', value: '<address>' },
    port: { summary: 'the port to listen on', value: '<number>' },
    'no-hardening': { summary: 'leave out the restrictions of systemd' },
    force: FORCE,
    ...WHERE,
    ...PLATFORM,
  },
  examples: ['service install --print', 'service install --now', 'service install --system --data-dir /srv/tramontane'],
  run: async (context) => (await import('./run.ts')).installService(context),
};

const uninstall: Command = {
  name: 'uninstall',
  summary: 'stop the service and remove its file; data and configuration stay',
  options: { force: FORCE, ...WHERE },
  examples: ['service uninstall', 'service uninstall --user --name staging'],
  run: async (context) => (await import('./run.ts')).uninstallService(context),
};

const status: Command = {
  name: 'status',
  summary: 'whether the service is installed, which installation it runs, and whether it is running',
  options: WHERE,
  examples: ['service status', 'service status --system --json'],
  run: async (context) => (await import('./run.ts')).showService(context),
};

export const service: CommandGroup = {
  name: 'service',
  summary: 'run the server as a service of systemd or launchd',
  commands: [install, uninstall, status],
};
