import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseOptions } from '../kit/db/index.ts';
import { isSecretKey } from '../kit/secrets/index.ts';
import { type BlobsConfig, parseBlobs } from './blobs.ts';
import { completeModels } from './complete-models.ts';
import { ConfigError } from './config-error.ts';
import { type Environment, processEnvironment } from './environment.ts';
import { nearest } from './nearest.ts';
import { readConfigFile } from './read-config-file.ts';
import { FileConfig } from './schema.ts';

export { ConfigError } from './config-error.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const BOOTSTRAP_KEY_CHARACTERS_MIN = 32;

const KNOWN_VARIABLES = [
  'TRAMONTANE_HOST',
  'TRAMONTANE_PORT',
  'TRAMONTANE_DATA_DIR',
  'TRAMONTANE_DATABASE_URL',
  'TRAMONTANE_BLOBS',
  'TRAMONTANE_CONFIG',
  'TRAMONTANE_BOOTSTRAP_API_KEY',
  'TRAMONTANE_BOOTSTRAP_ADMIN_KEY',
  'TRAMONTANE_URL',
  'TRAMONTANE_API_KEY',
  'TRAMONTANE_ADMIN_KEY',
  'TRAMONTANE_MODELS_DIR',
  'TRAMONTANE_MODELS_SEED_DIR',
  'TRAMONTANE_TEMPORAL_ADDRESS',
  'TRAMONTANE_TEMPORAL_NAMESPACE',
  'TRAMONTANE_TEMPORAL_GATEWAY_PORT',
  'TRAMONTANE_TEMPORAL_GATEWAY_URL',
  'TRAMONTANE_PUBLIC_URL',
  'TRAMONTANE_TRUSTED_PROXIES',
  'TRAMONTANE_ALLOWED_HOSTS',
  'TRAMONTANE_OWNER_EMAIL',
  'TRAMONTANE_LOG_LEVEL',
  'TRAMONTANE_AUTO_PULL',
  'TRAMONTANE_CONSOLE',
  'TRAMONTANE_NPM_REGISTRY',
  'TRAMONTANE_SECRETS_KEY',
] as const;

export type Config = {
  host: string;
  port: number;
  dataDir: string;
  database: DatabaseOptions;
  blobs: BlobsConfig;
  modelsDir: string;
  /** Weights that came with the program or lie on a share; copied from there before anything is downloaded. */
  modelsSeedDir: string | undefined;
  bootstrap: { ownerEmail: string; apiKey: string | undefined; adminKey: string | undefined };
  /** What encrypts the credentials of connectors; empty: the file in the data dir. The first encrypts, all decrypt. */
  secretKeys: string[];
  publicUrl: string | undefined;
  trustedProxies: string[];
  allowedHosts: string[];
  logLevel: string;
  /** Whether the server downloads missing weights; otherwise only `tramontane pull` does. */
  autoPull: boolean;
  /** Whether the web console is served, and built first where needed. */
  console: boolean;
  /** A mirror of Hugging Face, and a token for files that need one. */
  huggingFace: { baseUrl: string | undefined; token: string | undefined };
  otlpEndpoint: string | undefined;
  /** The Temporal cluster that runs workflows, and the prefix of its namespaces. */
  temporal: { address: string; namespace: string } | undefined;
  /** The port through which workers reach that cluster, and its address if it is not on the host of this API. */
  temporalGateway: { port: number; url: string | undefined };
  file: FileConfig;
  /** The path of `file`, if there is one. */
  configFile: string | undefined;
  /** Mistakes that do not stop a start. */
  warnings: string[];
};

/** The only reader of the environment and of the YAML file; a mistake in either is a ConfigError. */
export function loadConfig(environment: Environment = processEnvironment()): Config {
  const read = (name: (typeof KNOWN_VARIABLES)[number]) => environment[name]?.trim() || undefined;
  const dataDir = resolve(read('TRAMONTANE_DATA_DIR') ?? '.tramontane');
  const configFile = findConfigFile(read('TRAMONTANE_CONFIG'), dataDir);
  const file = configFile ? readConfigFile(configFile, environment) : completeModels(FileConfig.parse({}), false);
  const temporal = parseTemporal(read('TRAMONTANE_TEMPORAL_ADDRESS'), read('TRAMONTANE_TEMPORAL_NAMESPACE'));
  return {
    host: read('TRAMONTANE_HOST') ?? '127.0.0.1',
    port: parsePort(read('TRAMONTANE_PORT') ?? '4747'),
    dataDir,
    database: parseDatabase(read('TRAMONTANE_DATABASE_URL'), dataDir),
    blobs: parseBlobs(read('TRAMONTANE_BLOBS'), environment),
    modelsDir: resolve(read('TRAMONTANE_MODELS_DIR') ?? join(dataDir, 'models')),
    modelsSeedDir: resolveOptional(read('TRAMONTANE_MODELS_SEED_DIR')),
    bootstrap: {
      ownerEmail: read('TRAMONTANE_OWNER_EMAIL') ?? 'owner@localhost',
      apiKey: parseBootstrapKey('TRAMONTANE_BOOTSTRAP_API_KEY', read('TRAMONTANE_BOOTSTRAP_API_KEY')),
      adminKey: parseBootstrapKey('TRAMONTANE_BOOTSTRAP_ADMIN_KEY', read('TRAMONTANE_BOOTSTRAP_ADMIN_KEY')),
    },
    secretKeys: parseSecretKeys(read('TRAMONTANE_SECRETS_KEY')),
    publicUrl: parseUrl('TRAMONTANE_PUBLIC_URL', read('TRAMONTANE_PUBLIC_URL')),
    trustedProxies: parseList(read('TRAMONTANE_TRUSTED_PROXIES')),
    allowedHosts: parseList(read('TRAMONTANE_ALLOWED_HOSTS')),
    logLevel: parseChoice('TRAMONTANE_LOG_LEVEL', read('TRAMONTANE_LOG_LEVEL') ?? 'info', LOG_LEVELS),
    autoPull: parseChoice('TRAMONTANE_AUTO_PULL', read('TRAMONTANE_AUTO_PULL') ?? 'on', ['on', 'off']) === 'on',
    console: parseChoice('TRAMONTANE_CONSOLE', read('TRAMONTANE_CONSOLE') ?? 'on', ['on', 'off']) === 'on',
    // The standard variables of Hugging Face and OpenTelemetry.
    huggingFace: {
      baseUrl: parseMirror(environment.HF_ENDPOINT?.trim() || undefined),
      token: environment.HF_TOKEN?.trim() || undefined,
    },
    otlpEndpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || undefined,
    temporal,
    temporalGateway: {
      port: parsePort(read('TRAMONTANE_TEMPORAL_GATEWAY_PORT') ?? '4748', 'TRAMONTANE_TEMPORAL_GATEWAY_PORT'),
      url: parseUrl('TRAMONTANE_TEMPORAL_GATEWAY_URL', read('TRAMONTANE_TEMPORAL_GATEWAY_URL')),
    },
    file,
    configFile,
    warnings: listUnknownVariables(environment),
  };
}

function findConfigFile(given: string | undefined, dataDir: string): string | undefined {
  if (given) {
    const file = resolve(given);
    if (!existsSync(file)) throw new ConfigError(`${file}: TRAMONTANE_CONFIG names a file that does not exist.`);
    return file;
  }
  const beside = join(dirname(dataDir), 'tramontane.yaml');
  return existsSync(beside) ? beside : undefined;
}

function resolveOptional(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

function parseDatabase(url: string | undefined, dataDir: string): DatabaseOptions {
  if (!url) return { kind: 'sqlite', file: join(dataDir, 'tramontane.db') };
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ConfigError(
      'TRAMONTANE_DATABASE_URL must look like postgres://user:password@host:5432/database; unset it for SQLite.',
    );
  }
  return { kind: 'postgres', url };
}

function parseSecretKeys(text: string | undefined): string[] {
  const keys = parseList(text);
  if (keys.every(isSecretKey)) return keys;
  throw new ConfigError(
    'TRAMONTANE_SECRETS_KEY must be 32 bytes as base64, for example from `openssl rand -base64 32`; older keys follow after commas.',
  );
}

function parsePort(text: string, name = 'TRAMONTANE_PORT'): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new ConfigError(`${name} must be a number from 0 to 65535, not '${text}'.`);
  return port;
}

function parseBootstrapKey(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.length < BOOTSTRAP_KEY_CHARACTERS_MIN || /\s/.test(value)) {
    throw new ConfigError(`${name} must have at least ${BOOTSTRAP_KEY_CHARACTERS_MIN} characters and no spaces.`);
  }
  return value;
}

function parseUrl(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && !/^https?:\/\//.test(value)) {
    throw new ConfigError(`${name} must begin with http:// or https://.`);
  }
  return value?.replace(/(?<!\/)\/+$/, '');
}

function parseTemporal(address: string | undefined, namespace = 'tramontane'): Config['temporal'] {
  if (address === undefined) return undefined;
  if (!/^[^\s/:]+:\d+$|^\[[^\]\s]+\]:\d+$/.test(address))
    throw new ConfigError(`TRAMONTANE_TEMPORAL_ADDRESS must look like temporal.internal:7233, not '${address}'.`);
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$/.test(namespace))
    throw new ConfigError(
      'TRAMONTANE_TEMPORAL_NAMESPACE must be 1 to 100 letters, digits, hyphens and underscores, and begin with a letter or digit.',
    );
  return { address, namespace };
}

function parseMirror(value: string | undefined): string | undefined {
  if (value !== undefined && !/^https?:\/\//.test(value)) {
    throw new ConfigError('HF_ENDPOINT must begin with http:// or https://; unset it for Hugging Face itself.');
  }
  return value;
}

function parseList(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function parseChoice(name: string, value: string, known: string[]): string {
  if (!known.includes(value)) throw new ConfigError(`${name} must be one of ${known.join(', ')}, not '${value}'.`);
  return value;
}

function listUnknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith('TRAMONTANE_') &&
        !(KNOWN_VARIABLES as readonly string[]).includes(name) &&
        !name.startsWith('TRAMONTANE_TEST_'),
    )
    .map((name) => {
      const suggestion = nearest(name, KNOWN_VARIABLES);
      return `${name} is not a setting of tramontane.${suggestion ? ` Did you mean ${suggestion}?` : ''}`;
    });
}
