import pino, { type Logger } from 'pino';
import { createSecretHider } from './hide-secrets.ts';

const REDACTED = '[redacted]';

/**
 * Property names that are redacted. Bodies and headers are never logged; this catches values that a library's
 * error carries along.
 */
const SECRET_NAMES = [
  'authorization',
  'Authorization',
  'x-api-key',
  'api_key',
  'apiKey',
  'password',
  'cookie',
  'set-cookie',
  'token',
  'secret',
];
const SECRET_PATTERNS = [
  /\btm[ka]_[0-9A-Za-z]{8,}/g,
  /\bBearer\s+[^\s"',}]+/gi,
  /(postgres(?:ql)?:\/\/[^:/\s]{0,256}:)[^@\s]{1,512}@/gi,
  /(\bapi[_-]?key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi,
];

export type { Logger } from 'pino';

/** Lines buffered while the output cannot be written; more are dropped. */
const UNWRITTEN_BYTES_MAX = 1024 * 1024;

/** `secrets` are removed from every line, also where another server echoed them. */
export function createLog(
  level: string,
  destination: pino.DestinationStream = openStandardError(),
  secrets: readonly string[] = [],
): Logger {
  const hide = createSecretHider(secrets);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: REDACTED,
      },
      serializers: { err: describeError },
    },
    { write: (line: string) => destination.write(hide.text(line)) },
  );
}

/** A full disk loses log lines; it never ends the process or fails a request. */
function openStandardError(): pino.DestinationStream {
  const lines = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_BYTES_MAX });
  lines.on('error', ignore);
  // Node's own warnings use the same output, and an error without a listener would end the process.
  for (const output of [process.stdout, process.stderr]) output.off('error', ignore).on('error', ignore);
  return lines;
}

const ignore = () => undefined;

// Only what an operator needs: other properties of an error may hold requests, rows or credentials.
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: scrub(error.message), ...code, stack: scrub(error.stack ?? ''), ...cause };
}

export function scrub(text: string): string {
  return SECRET_PATTERNS.reduce(
    (clean, pattern) =>
      clean.replace(pattern, (_, kept?: unknown) => `${typeof kept === 'string' ? kept : ''}${REDACTED}`),
    text,
  );
}
