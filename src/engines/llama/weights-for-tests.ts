import { chatWeightsForTests } from '../weights/weights-for-tests.ts';

/** Small chat weights. Undefined where there are none; the tests that need them are then skipped and say so. */
export const chatWeights: string | undefined =
  process.env.TRAMONTANE_TEST_CHAT_WEIGHTS ?? (await chatWeightsForTests())?.file;

export const weightsNeeded = 'real weights (TRAMONTANE_TEST_CHAT_WEIGHTS names a small chat GGUF, else one is fetched)';
