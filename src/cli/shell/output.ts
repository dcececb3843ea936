import type { Environment } from '../../config/environment.ts';
import { systemClock } from '../../kit/base/clock.ts';

const PLAIN_PROGRESS_MS = 5000;
const CLEAR_LINE = '\r\u001b[K';
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = keyof typeof STYLES;

export type Output = {
  /** What the command was for: data for a machine under --json, else the text. */
  result(data: unknown, text: string): void;
  /** Text that is the same for machines and people, such as a script. */
  raw(text: string): void;
  /** Beside the result, on stderr. */
  note(text: string): void;
  /** The one line a failure gets; under --json the machine gets its own on stdout. */
  failure(message: string): void;
  /** A line that moves on a terminal; elsewhere one now and then. */
  progress(text: string): void;
  styled(style: Style, text: string): string;
};

type Stream = NodeJS.WritableStream & { isTTY?: boolean };

export type Streams = { stdout: Stream; stderr: Stream };

/** The only place of the command line that writes to the terminal. */
export function createOutput({
  json,
  environment,
  stdout,
  stderr,
}: Streams & { json: boolean; environment: Environment }): Output {
  for (const stream of [stdout, stderr]) {
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Whoever read us went away (`… | head -1`); there is nobody left to tell.
      if (code === 'EPIPE') return;
      if (stream === stdout) stderr.write(`The output could not be written (${code}).\n`);
      process.exit(1);
    });
  }
  const isPlain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  const paint = (stream: Stream, style: Style, text: string) =>
    stream.isTTY && !isPlain ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  let isMoving = false;
  let lastPlainMs = systemClock();

  const endProgress = () => {
    if (isMoving) stderr.write(CLEAR_LINE);
    isMoving = false;
  };
  return {
    result(data, text) {
      endProgress();
      stdout.write(`${json ? JSON.stringify(data) : text}\n`);
    },
    raw(text) {
      stdout.write(text);
    },
    note(text) {
      endProgress();
      stderr.write(`${text}\n`);
    },
    failure(message) {
      endProgress();
      stderr.write(`${paint(stderr, 'red', message)}\n`);
      if (json) stdout.write(`${JSON.stringify({ error: message })}\n`);
    },
    progress(text) {
      if (stderr.isTTY) {
        isMoving = true;
        stderr.write(CLEAR_LINE + text);
      } else if (systemClock() - lastPlainMs >= PLAIN_PROGRESS_MS) {
        lastPlainMs = systemClock();
        stderr.write(`${text}\n`);
      }
    },
    styled: (style, text) => paint(stdout, style, text),
  };
}
