import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../base/error-code.ts';

export type SecretKey = { id: string; bytes: Buffer };

/** The keys that encrypt stored secrets. The first one encrypts, all of them decrypt. */
export type Keyring = {
  /** Creates the first key where there is none. */
  current(): SecretKey;
  find(id: string): SecretKey | undefined;
  list(): readonly SecretKey[];
  /** Where the keys are, for people; undefined for the environment. */
  file: string | undefined;
};

export const SECRET_KEY_FILE = 'secrets.key';
const KEY_BYTES = 32;
const HEADER =
  '# Encrypts stored secrets, such as the credentials of connectors. Without this file they are lost, and nothing else.\n';

/** Keys of the environment. */
export function createFixedKeyring(keys: readonly string[]): Keyring {
  const parsed = keys.map(parseKey);
  const [first] = parsed;
  if (!first) throw new Error('A keyring needs a key.');
  return {
    current: () => first,
    find: (id) => parsed.find((key) => key.id === id),
    list: () => parsed,
    file: undefined,
  };
}

/** Keys in a file for its owner alone. It is read again when it changed, and created by the first secret. */
export function createFileKeyring(file: string, onCreate: () => void = () => undefined): Keyring {
  let known: { version: string; keys: SecretKey[] } = { version: '', keys: [] };

  function read(): SecretKey[] {
    const version = versionOf(file);
    if (version === undefined) return [];
    if (version !== known.version) known = { version, keys: parseKeys(readFileSync(file, 'utf8')) };
    return known.keys;
  }

  function create(): SecretKey {
    const temporary = writeTemporary(file, [generateKey()]);
    try {
      // A link fails where another process was first, and is never half written.
      linkSync(temporary, file);
      syncDirectory(file);
      onCreate();
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
    const [first] = read();
    if (!first) throw new Error(`${file} has no key.`);
    return first;
  }

  return {
    current: () => read()[0] ?? create(),
    find: (id) => read().find((key) => key.id === id),
    list: read,
    file,
  };
}

/** Puts a new key in front. `kept` stay behind it, so that what they encrypted can still be read. */
export function addKey(file: string, kept: readonly SecretKey[]): void {
  replaceFile(file, [generateKey(), ...kept.map(({ bytes }) => bytes)]);
}

export function keepKeys(file: string, kept: readonly SecretKey[]): void {
  replaceFile(
    file,
    kept.map(({ bytes }) => bytes),
  );
}

function replaceFile(file: string, keys: readonly Buffer[]): void {
  renameSync(writeTemporary(file, keys), file);
  syncDirectory(file);
}

/** On disk before it gets its name: secrets are encrypted with it from then on. */
function writeTemporary(file: string, keys: readonly Buffer[]): string {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, formatKeys(keys), { mode: 0o600, flag: 'wx', flush: true });
  return temporary;
}

function syncDirectory(file: string): void {
  // Windows cannot open a directory, and journals its entries.
  if (process.platform === 'win32') return;
  const directory = openSync(dirname(file), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

export function isSecretKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

function generateKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

function formatKeys(keys: readonly Buffer[]): string {
  return `${HEADER}${keys.map((key) => `${key.toString('base64')}\n`).join('')}`;
}

function parseKeys(text: string): SecretKey[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseKey);
}

function parseKey(text: string): SecretKey {
  if (!isSecretKey(text)) throw new Error('A key for secrets has 32 bytes as base64.');
  const bytes = Buffer.from(text, 'base64');
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

function versionOf(file: string): string | undefined {
  try {
    const { mtimeMs, ino, size } = statSync(file);
    return `${mtimeMs} ${ino} ${size}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
