import { spawnSync } from 'node:child_process';

/**
 * A Python that has the official SDK: the one TRAMONTANE_TEST_PYTHON names, else the machine's own if it has it.
 * Undefined where there is none; the tests that need it are then skipped and the closing lines say so.
 */
export const python: string | undefined = [process.env.TRAMONTANE_TEST_PYTHON, 'python3'].find(hasSdk);

function hasSdk(program: string | undefined): boolean {
  return (
    Boolean(program) && spawnSync(program ?? '', ['-c', 'import mistralai.client'], { stdio: 'ignore' }).status === 0
  );
}
