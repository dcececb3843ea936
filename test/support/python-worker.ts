import { existsSync } from 'node:fs';

/**
 * A Python from 3.12 on with `mistralai-workflows` 3.16, which TRAMONTANE_TEST_PYTHON_WORKER names. Undefined where there
 * is none; the tests that need it are then skipped and the closing lines say so.
 */
export const pythonWorker = [process.env.TRAMONTANE_TEST_PYTHON_WORKER].find(
  (program) => program && existsSync(program),
);
