import type { Environment } from '../../config/environment.ts';
import { type ExitCode, UsageError } from './command.ts';
import type { Output } from './output.ts';

/** Prints one line for a known failure; for an unexpected error also how to get the stack. */
export async function reportFailure(error: unknown, output: Output, environment: Environment): Promise<ExitCode> {
  if (error instanceof UsageError) {
    output.failure(error.message);
    return 2;
  }
  const known = await explain(error);
  if (known) {
    output.failure(known.message);
    return known.exitCode;
  }
  const { scrub } = await import('../../kit/base/log.ts');
  output.failure(`Unexpected error: ${scrub(messageOf(error))}`);
  const isDebugging = ['debug', 'trace'].includes(environment.TRAMONTANE_LOG_LEVEL?.trim() ?? '');
  if (!isDebugging) output.note('set TRAMONTANE_LOG_LEVEL=debug to see the stack');
  else if (error instanceof Error) output.note(scrub(error.stack ?? ''));
  return 1;
}

// Loaded lazily: successful commands do not need it.
async function explain(error: unknown): Promise<{ message: string; exitCode: ExitCode } | undefined> {
  const [{ ConfigError }, { StartFailure }, { CommandFailure }, { ApiError }] = await Promise.all([
    import('../../config/config-error.ts'),
    import('../../compose/start-failure.ts'),
    import('../../operator/command-failure.ts'),
    import('../../kit/http/index.ts'),
  ]);
  if (error instanceof ConfigError) return { message: error.message, exitCode: 2 };
  const isKnown = [StartFailure, CommandFailure, ApiError].some((kind) => error instanceof kind);
  return error instanceof Error && isKnown ? { message: error.message, exitCode: 1 } : undefined;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
