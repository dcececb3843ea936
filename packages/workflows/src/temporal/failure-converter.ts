import { DefaultFailureConverter } from '@temporalio/common';
import { queryFailures } from './query-failures.ts';

// Bundled only for encrypting workers.
queryFailures.areResults = true;

/** Puts message and stack of an error into a payload, so that they are encrypted too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
