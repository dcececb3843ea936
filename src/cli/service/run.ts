import { resolve } from 'node:path';
import { loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { findService } from '../../operator/service/find-service.ts';
import { planService, type ServiceInput, serviceDataDir } from '../../operator/service/plan-service.ts';
import type { Manager, Scope } from '../../operator/service/service-facts.ts';
import { commandsOf, queryState, runCommand } from '../../operator/service/service-manager.ts';
import { checkOwn, checkRights, isHere, removeService, writeService } from '../../operator/service/write-service.ts';
import { type Arguments, type Context, type ExitCode, UsageError } from '../shell/command.ts';
import { quoteForShell } from '../shell/quote-for-shell.ts';
import { applyFlags, START_VARIABLES } from '../shell/read-config.ts';

export async function installService({ args, output, environment }: Context): Promise<undefined> {
  const flagged = applyFlags(environment, args, START_VARIABLES);
  const given = readInput(args, flagged);
  const account = given.scope === 'system' ? readAccount(args, flagged) : '';
  const input = { ...given, isHardened: !args.flag('no-hardening'), account };
  const config = loadConfig({ ...flagged, TRAMONTANE_DATA_DIR: serviceDataDir(input) });
  const plan = planService(input, config);
  for (const warning of plan.warnings) output.note(`warning: ${warning}`);
  if (args.flag('print')) return output.raw(plan.content) as undefined;
  if (args.flag('now') && !isHere(input)) throw new UsageError('--now and --root exclude each other.');
  writeService(input, plan, args.flag('force'));
  const { install } = commandsOf(input.manager, input.scope, input.name, plan.file);
  if (args.flag('now')) await runAll(install, environment);
  const next = [
    ...(args.flag('now') || !isHere(input) ? [] : install.map((words) => words.map(quoteForShell).join(' '))),
    // Without it the manager of a user ends with the last session.
    ...(input.manager === 'systemd' && input.scope === 'user' && isHere(input) ? ['loginctl enable-linger'] : []),
  ];
  const { dataDir, environmentFile } = plan.facts;
  const { manager, scope, name } = input;
  output.result(
    {
      manager,
      scope,
      name,
      file: plan.file,
      data_dir: dataDir,
      environment_file: environmentFile,
      started: args.flag('now'),
      next,
      content: plan.content,
    },
    [
      `Wrote ${plan.file}:`,
      '',
      plan.content.trimEnd(),
      '',
      `Data      ${dataDir}`,
      `Settings  ${environmentFile} (NAME=value lines, for secrets; optional)`,
      ...(args.flag('now') ? ['The service is started.'] : []),
      ...(next.length > 0 ? ['', 'Next:', ...next.map((line) => `  ${line}`)] : []),
    ].join('\n'),
  );
}

export async function uninstallService({ args, output, environment }: Context): Promise<undefined> {
  const input = readInput(args, environment);
  const found = findService(input);
  const { manager, scope, name } = input;
  if (!found.installed)
    return output.result({ removed: false, file: found.file }, `There is no ${found.file}.`) as undefined;
  checkRights(input);
  checkOwn(found.file, args.flag('force'));
  const { stop, forget } = commandsOf(manager, scope, name, found.file);
  if (isHere(input))
    for (const command of stop) {
      const { code, output: said } = await runCommand(command, environment);
      if (code !== 0) output.note(`warning: ${command.join(' ')}: ${said || `exit code ${code}`}`);
    }
  removeService(input, found.file, args.flag('force'));
  if (isHere(input)) for (const command of forget) await runCommand(command, environment);
  output.result(
    { removed: true, file: found.file },
    `Removed ${found.file}. Data and configuration are where they were.`,
  );
}

export async function showService({ args, output, environment }: Context): Promise<ExitCode> {
  const input = readInput(args, environment);
  const found = findService(input);
  const { query } = commandsOf(input.manager, input.scope, input.name, found.file);
  const state = found.installed && isHere(input) ? await queryState(input.manager, query, environment) : undefined;
  const { manager, scope, name } = input;
  const isActive = state?.active ?? false;
  output.result(
    {
      manager,
      scope,
      name,
      ...found,
      active: state?.active ?? null,
      enabled: state?.enabled ?? null,
      pid: state?.pid ?? null,
    },
    found.installed
      ? [
          `File     ${found.file}`,
          `Runs     ${found.is_this_installation ? 'this installation' : 'another installation: run service install again to change that'}`,
          `State    ${state ? `${state.detail}${state.pid ? `, process ${state.pid}` : ''}` : `unknown: ${manager} did not answer`}`,
          ...(state?.enabled === undefined ? [] : [`At boot  ${state.enabled ? 'started' : 'not started'}`]),
        ].join('\n')
      : `Not installed: there is no ${found.file}.`,
  );
  return isActive ? 0 : 1;
}

async function runAll(commands: string[][], environment: Environment): Promise<void> {
  for (const command of commands) {
    const { code, output } = await runCommand(command, environment);
    if (code !== 0)
      throw new CommandFailure(`${command.join(' ')} failed: ${output || `exit code ${code}`}. The file is written.`);
  }
}

function readInput(args: Arguments, environment: Environment): ServiceInput {
  if (args.flag('user') && args.flag('system')) throw new UsageError('--user and --system exclude each other.');
  const isRoot = process.getuid?.() === 0;
  const scope: Scope = args.flag('system') || (isRoot && !args.flag('user')) ? 'system' : 'user';
  return {
    manager: readManager(args),
    scope,
    name: args.text('name') ?? 'tramontane',
    account: '',
    isHardened: true,
    root: resolve(args.text('root') ?? '/'),
    environment,
  };
}

function readManager(args: Arguments): Manager {
  const given = args.text('manager');
  if (given === 'systemd' || given === 'launchd') return given;
  if (process.platform === 'darwin') return 'launchd';
  if (process.platform === 'linux') return 'systemd';
  throw new CommandFailure(
    'This system has neither systemd nor launchd. Run "tramontane start" under the service manager that it has.',
  );
}

function readAccount(args: Arguments, environment: Environment): string {
  const account = args.text('run-as') ?? (readManager(args) === 'launchd' ? environment.SUDO_USER : 'tramontane');
  if (account === undefined) throw new UsageError('Give --run-as <user>: the account that the daemon runs as.');
  if (!/^[a-z_][a-z0-9_.-]{0,31}$/i.test(account)) throw new UsageError(`'${account}' is not the name of an account.`);
  return account;
}
