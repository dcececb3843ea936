import { z } from 'zod';
import { UsageInfo } from '../metering/index.ts';

export const EmbeddingDtype = z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary']).meta({ id: 'EmbeddingDtype' });
export type EmbeddingDtype = z.infer<typeof EmbeddingDtype>;

export const EncodingFormat = z.enum(['float', 'base64']).meta({ id: 'EncodingFormat' });
export type EncodingFormat = z.infer<typeof EncodingFormat>;

export const EmbeddingRequest = z
  .strictObject({
    model: z.string().max(512),
    metadata: z.record(z.string(), z.unknown()).nullable().optional(),
    input: z.union([z.string(), z.array(z.string())]),
    output_dimension: z.int().gt(0).nullable().optional(),
    output_dtype: EmbeddingDtype.default('float'),
    encoding_format: EncodingFormat.default('float'),
  })
  .meta({ id: 'EmbeddingRequest' });
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>;

export const EmbeddingResponseData = z
  .object({
    object: z.string().optional(),
    /** A list of numbers, or one base64 string when `encoding_format` asks for it. */
    embedding: z.union([z.array(z.number()), z.string()]).optional(),
    index: z.int().optional(),
  })
  .meta({ id: 'EmbeddingResponseData' });

export const EmbeddingResponse = z
  .object({
    id: z.string(),
    object: z.string(),
    data: z.array(EmbeddingResponseData),
    model: z.string(),
    usage: UsageInfo,
  })
  .meta({ id: 'EmbeddingResponse' });
export type EmbeddingResponse = z.infer<typeof EmbeddingResponse>;
