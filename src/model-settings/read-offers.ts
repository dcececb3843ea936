import { z } from 'zod';
import type { OfferedModel } from './schema.ts';

const MODELS_MAX = 2000;
const MILLION = 1_000_000;

const Length = z.int().positive().optional().catch(undefined);
const Amount = z.coerce.number().min(0).optional().catch(undefined);

/** Each server has its own name for the context: vLLM, OpenRouter, Mistral, llama.cpp. */
const Entry = z.object({
  id: z.string().min(1).max(255),
  max_model_len: Length,
  context_length: Length,
  max_context_length: Length,
  meta: z.object({ n_ctx_train: Length }).optional().catch(undefined),
  pricing: z.object({ prompt: Amount, completion: Amount }).optional().catch(undefined),
});

/** The models in the answer to `GET /models`; undefined where it has no such list. */
export function readOffers(body: unknown): OfferedModel[] | undefined {
  const list = z.object({ data: z.array(z.unknown()) }).safeParse(body);
  if (!list.success) return undefined;
  return list.data.data.slice(0, MODELS_MAX).flatMap((entry) => {
    const read = Entry.safeParse(entry);
    return read.success ? [toOffer(read.data)] : [];
  });
}

function toOffer({ id, meta, pricing, ...lengths }: z.infer<typeof Entry>): OfferedModel {
  const { max_model_len, context_length, max_context_length } = lengths;
  const { prompt, completion } = pricing ?? {};
  return {
    id,
    max_context_length: max_model_len ?? max_context_length ?? context_length ?? meta?.n_ctx_train ?? null,
    price:
      prompt === undefined || completion === undefined
        ? null
        : { prompt: perMillion(prompt), completion: perMillion(completion) },
  };
}

/** Rounded, because a price per token times a million has digits that nobody meant. */
function perMillion(perToken: number): number {
  return Number((perToken * MILLION).toPrecision(12));
}
