import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { currentRequest } from '../../kit/http/index.ts';
import { createHashGate } from './hash-gate.ts';
import { networkOf } from './network-of.ts';

const argon2Async = promisify(argon2);
const gate = createHashGate();

/** Runs in the thread pool, so that the event loop stays free. */
function derive(parameters: Argon2Parameters): Promise<Buffer> {
  const client = networkOf(currentRequest()?.address ?? '');
  return gate(client, () => argon2Async(ALGORITHM, parameters));
}

const ALGORITHM = 'argon2id';
const VERSION = 19;
/** As hard to guess as 19 MiB twice. glibc gives back what is larger than 32 MiB, and keeps twice of anything smaller in each thread. */
const COST = { memory: 47_104, passes: 1, parallelism: 1 };
let cost = COST;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Tests make hundreds of passwords that nobody guesses, and `false` restores what they lowered. */
export function lowerCostForTests(isLow = true): void {
  cost = isLow ? { ...COST, memory: 64 } : COST;
}

/** A PHC string, so that old hashes can still be checked after the cost is raised. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const tag = await derive({ message: password.normalize('NFKC'), nonce, tagLength: TAG_BYTES, ...cost });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=${VERSION}$m=${memory},t=${passes},p=${parallelism}$${bare(nonce)}$${bare(tag)}`;
}

export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(phc) ?? [];
  const known = Buffer.from(hash, 'base64');
  if (known.length === 0) return false;
  const tag = await derive({
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: known.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(tag, known);
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
