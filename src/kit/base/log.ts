import pino, { type Logger } from 'pino';
import { createSecretHider } from './hide-secrets.ts';

const REDACTED = '[redacted]';

/**
 * Keys of every shape that might reach a log line. Request bodies and headers are never logged; this is the
 * second fence, for values that an error of some library carries along.
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

/** As much is kept of what could not be written, to be written later; what comes then is dropped. */
const UNWRITTEN_BYTES_MAX = 1024 * 1024;

/** `secrets` are values that no line shows, whoever said them: the third fence, for what other servers repeat. */
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

/** A log on a full disk costs lines, and neither the process nor an answer. */
function openStandardError(): pino.DestinationStream {
  const lines = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_BYTES_MAX });
  lines.on('error', ignore);
  // Node's own warnings go the same way, and an output whose error nobody hears ends the process.
  for (const output of [process.stdout, process.stderr]) output.off('error', ignore).on('error', ignore);
  return lines;
}

const ignore = () => undefined;

// Only what an operator needs: arbitrary properties of an error may hold requests, rows or credentials.
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
