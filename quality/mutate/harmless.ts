import type { HarmlessMutant } from './judge-mutants.ts';

/** As the report prints them. The product does the same with each of these, so no test can notice it. */
export const harmless: readonly HarmlessMutant[] = [];
