import { type Config, ConfigError, loadConfig } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { checkBlobs } from './check-blobs.ts';
import { checkConnectors } from './check-connectors.ts';
import { checkDataDir } from './check-data-dir.ts';
import { checkDatabase } from './check-database.ts';
import { checkEngines } from './check-engines.ts';
import { checkGpu } from './check-gpu.ts';
import { checkPort } from './check-port.ts';
import { checkQueues } from './check-queues.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkTemporal } from './check-temporal.ts';

const NODE_MAJOR_MIN = 24;

export type Report = { checks: Check[]; healthy: boolean };

/** Checks everything that a start depends on, without changing anything. */
export async function runDoctor(environment: Environment): Promise<Report> {
  const checks = [checkNode(process.versions.node)];
  const config = checkConfig(environment, checks);
  if (config) {
    checks.push(await checkPort(config.host, config.port));
    checks.push(...(await checkQueues(config.host, config.port)));
    checks.push(...(await checkDataDir(config.dataDir, systemClock())));
    checks.push(...(await checkBlobs(config)));
    checks.push(...(await checkDatabase(config)));
    checks.push(await checkSandbox(config));
    checks.push(...(await checkGpu(config, environment)));
    checks.push(...(await checkEngines(config)));
    checks.push(...(await checkConnectors(config)));
    checks.push(...(await checkTemporal(config)));
  }
  return { checks, healthy: checks.every(({ status }) => status !== 'fail') };
}

export function checkNode(version: string): Check {
  const what = `version ${version}`;
  if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return ok('node', what);
  return fail('node', what, `install Node ${NODE_MAJOR_MIN} or newer, or run "npm ci", which installs it`);
}

function checkConfig(environment: Environment, checks: Check[]): Config | undefined {
  const name = 'configuration';
  try {
    const config = loadConfig(environment);
    const from = config.configFile ? `${config.configFile} and the environment` : 'the environment (no file)';
    checks.push(ok(name, `${from}: valid`));
    for (const warning of config.warnings) checks.push(warn(name, warning, 'rename or unset the variable'));
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.message.split('\n')) {
      checks.push(fail(name, line, 'correct it; the other checks need a valid configuration'));
    }
    return undefined;
  }
}
