import type { Environment } from '../../config/environment.ts';
import { nameProgram } from './name-program.ts';

const PLAIN_PROGRESS_MS = 5000;
const CLEAR_LINE = '\r\u001b[K';
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = keyof typeof STYLES;

export type Output = {
  /** The result of the command: `data` under --json, else `text`. */
  result(data: unknown, text: string): void;
  /** Text that is the same with and without --json. */
  raw(text: string): void;
  /** A line on stderr. */
  note(text: string): void;
  /** The error message on stderr; under --json also on stdout. */
  failure(message: string): void;
  /** Replaces the last progress line on a terminal; elsewhere a line every few seconds. */
  progress(text: string): void;
  styled(style: Style, text: string): string;
};

type Stream = NodeJS.WritableStream & { isTTY?: boolean };

export type Streams = { stdout: Stream; stderr: Stream };

/** Only this module writes to the terminal. */
export function createOutput({
  json,
  environment,
  stdout,
  stderr,
}: Streams & { json: boolean; environment: Environment }): Output {
  for (const stream of [stdout, stderr]) {
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      // The reader closed the pipe, as in `… | head -1`.
      if (code === 'EPIPE') return;
      if (stream === stdout) stderr.write(`The output could not be written (${code}).\n`);
      process.exit(1);
    });
  }
  const isPlain = Boolean(environment.NO_COLOR) || environment.TERM === 'dumb';
  const paint = (stream: Stream, style: Style, text: string) =>
    stream.isTTY && !isPlain ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  let isMoving = false;
  let lastPlainMs = performance.now();

  const endProgress = () => {
    if (isMoving) stderr.write(CLEAR_LINE);
    isMoving = false;
  };
  return {
    result(data, text) {
      endProgress();
      stdout.write(`${json ? JSON.stringify(data) : nameProgram(text)}\n`);
    },
    raw(text) {
      stdout.write(nameProgram(text));
    },
    note(text) {
      endProgress();
      stderr.write(`${nameProgram(text)}\n`);
    },
    failure(text) {
      endProgress();
      const message = nameProgram(text);
      stderr.write(`${paint(stderr, 'red', message)}\n`);
      if (json) stdout.write(`${JSON.stringify({ error: message })}\n`);
    },
    progress(text) {
      if (stderr.isTTY) {
        isMoving = true;
        stderr.write(CLEAR_LINE + text);
      } else if (performance.now() - lastPlainMs >= PLAIN_PROGRESS_MS) {
        lastPlainMs = performance.now();
        stderr.write(`${text}\n`);
      }
    },
    styled: (style, text) => paint(stdout, style, text),
  };
}
