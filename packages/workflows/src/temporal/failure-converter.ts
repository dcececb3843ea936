import { DefaultFailureConverter } from '@temporalio/common';
import { queryFailures } from './query-failures.ts';

// This file is part of the bundle only where what workers send is sealed.
queryFailures.areResults = true;

/** For workers that seal what they send: the words of an error and its stack travel as a payload too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
