import type { ServerResponse } from 'node:http';
import { json, type UpstreamCall } from '../../test/support/upstream.ts';
import { packWeights } from '../models/index.ts';

/** An embedding model that knows three words. */
export function answerVectors({ body }: UpstreamCall, response: ServerResponse): void {
  const vectorOf = (text: string) => ['money', 'parcel', 'secret'].map((word) => Number(text.includes(word)));
  const data = [body.input].flat().map((text, index) => ({ index, embedding: vectorOf(String(text)) }));
  json(response, 200, { object: 'list', data, usage: { prompt_tokens: 7 * data.length } });
}

/** Of the target `topic` one label applies, of `marks` any number. */
export const definition = {
  dimensions: 3,
  targets: [
    {
      name: 'topic',
      labels: ['billing', 'shipping'],
      loss_function: 'single_class' as const,
      weights: packWeights([4, -4, 0, 0, -4, 4, 0, 0]),
    },
    {
      name: 'marks',
      labels: ['pii'],
      loss_function: 'multi_class' as const,
      weights: packWeights([0, 0, 8, -4]),
    },
  ],
};
