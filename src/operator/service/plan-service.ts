import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { packageFile } from '../../kit/base/locations.ts';
import { CommandFailure } from '../command-failure.ts';
import { launchdPlist } from './launchd-plist.ts';
import { isInside, type Manager, type Scope, type ServiceFacts } from './service-facts.ts';
import { systemdUnit } from './systemd-unit.ts';

export const LAUNCHER = packageFile('bin/tramontane.js');
const NAME = /^[a-z][a-z0-9_-]{0,30}$/;
/** Closing the remaining connections and the database takes a moment after the drain. */
const STOP_MARGIN_S = 10;

export type ServiceInput = {
  manager: Manager;
  scope: Scope;
  name: string;
  /** The account of a system service. */
  account: string;
  isHardened: boolean;
  /** Another root directory to write below, as for an image; '/' otherwise. */
  root: string;
  environment: Environment;
};

export type ServicePlan = { file: string; content: string; facts: ServiceFacts; warnings: string[] };

/** The data dir of a service: a given one, the one that is here already, or the usual place of the scope. */
export function serviceDataDir({ manager, scope, name, environment }: ServiceInput): string {
  const given = environment.TRAMONTANE_DATA_DIR?.trim();
  if (given) return resolve(given);
  if (existsSync(join('.tramontane', 'tramontane.db'))) return resolve('.tramontane');
  if (scope === 'user') return join(userData(manager, environment), name, 'data');
  return manager === 'systemd' ? `/var/lib/${name}/data` : `/usr/local/var/${name}/data`;
}

/** What to write, and where, so that the service manager starts this installation. Changes nothing. */
export function planService(input: ServiceInput, config: Config): ServicePlan {
  const { manager, scope, name, environment, root } = input;
  if (!NAME.test(name))
    throw new CommandFailure('The name of a service has up to 31 lower-case letters, digits, - and _.');
  const { dataDir, modelsDir } = config;
  const stateDirectory = dataDir === `/var/lib/${name}/data` && scope === 'system' ? name : undefined;
  const launcher = realpathSync(LAUNCHER);
  const places = placesOf(input);
  const facts: ServiceFacts = {
    ...{ name, scope, account: input.account, isHardened: input.isHardened, dataDir, stateDirectory },
    program: [process.execPath, '--max-semi-space-size=16', launcher, 'start'],
    workingDir: dirname(dataDir),
    writableDirs: isInside(modelsDir, dataDir) ? [] : [modelsDir],
    variables: {
      TRAMONTANE_DATA_DIR: dataDir,
      ...(environment.TRAMONTANE_CONFIG && config.configFile && { TRAMONTANE_CONFIG: config.configFile }),
      ...(environment.TRAMONTANE_HOST && { TRAMONTANE_HOST: config.host }),
      ...(environment.TRAMONTANE_PORT && { TRAMONTANE_PORT: String(config.port) }),
      ...(environment.TRAMONTANE_MODELS_DIR && { TRAMONTANE_MODELS_DIR: modelsDir }),
      ...(config.modelsSeedDir && { TRAMONTANE_MODELS_SEED_DIR: config.modelsSeedDir }),
    },
    environmentFile: places.environmentFile,
    logFile: places.logFile,
    stopSeconds: Math.ceil(config.file.server.drain_seconds) + STOP_MARGIN_S,
    usesBubblewrap: config.file.code_interpreter.engine === 'bubblewrap',
    port: config.port,
  };
  const content = manager === 'systemd' ? systemdUnit(facts) : launchdPlist(facts);
  return { file: join(root, places.file), content, facts, warnings: listWarnings(facts, environment, launcher) };
}

export function placesOf({ manager, scope, name, environment }: ServiceInput) {
  const home = environment.HOME ?? homedir();
  if (manager === 'launchd') {
    const library = scope === 'user' ? join(home, 'Library') : '/Library';
    return {
      file: join(library, scope === 'user' ? 'LaunchAgents' : 'LaunchDaemons', `${name}.plist`),
      environmentFile: scope === 'user' ? join(userData(manager, environment), name, `${name}.env`) : etc(name),
      logFile: scope === 'user' ? join(library, 'Logs', `${name}.log`) : `/var/log/${name}.log`,
    };
  }
  const config = environment.XDG_CONFIG_HOME ?? join(home, '.config');
  return {
    file: scope === 'user' ? join(config, `systemd/user/${name}.service`) : `/etc/systemd/system/${name}.service`,
    environmentFile: scope === 'user' ? join(config, name, `${name}.env`) : etc(name),
    logFile: '',
  };
}

function etc(name: string): string {
  return `/etc/${name}/${name}.env`;
}

function userData(manager: Manager, environment: Environment): string {
  const home = environment.HOME ?? homedir();
  return manager === 'launchd'
    ? join(home, 'Library/Application Support')
    : (environment.XDG_DATA_HOME ?? join(home, '.local/share'));
}

/** What would surprise the operator after the next boot. */
function listWarnings({ variables, environmentFile }: ServiceFacts, environment: Environment, launcher: string) {
  const left = Object.keys(environment).filter(
    (key) => /^(TRAMONTANE_(?!TEST_)|HF_|OTEL_)/.test(key) && environment[key]?.trim() && !(key in variables),
  );
  return [
    ...(left.length > 0
      ? [`${left.sort().join(', ')}: set here, but not for the service. Put what it needs into ${environmentFile}.`]
      : []),
    ...(/[/\\]_npx[/\\]/.test(launcher)
      ? ['this is a copy of npx, which may be deleted at any time: install the package or the archive first']
      : []),
  ];
}
