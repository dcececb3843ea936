import { badRequest } from '../../kit/http/index.ts';
import type { Engine } from '../engine.ts';

/** What an engine that speaks answers to everything else. */
export function onlySpeaks(): Pick<Engine, 'complete' | 'stream'> {
  const refusal = () => badRequest('This model only speaks. Choose a chat model.');
  return {
    complete: () => Promise.reject(refusal()),
    stream: () => {
      throw refusal();
    },
  };
}
