import { spawnSync } from 'node:child_process';
import { askOnce } from './ask-once.ts';

/**
 * The program of schemathesis: the one TRAMONTANE_TEST_SCHEMATHESIS names, else the machine's own. Undefined where there
 * is none; what needs it is then skipped and the closing lines say so.
 */
export const schemathesis = [process.env.TRAMONTANE_TEST_SCHEMATHESIS, 'schemathesis'].find(
  (program) => program && askOnce(program, () => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0),
);
