import { z } from 'zod';
import { EncodedPayloadOptions } from './control.ts';

const encoding_options = z.array(EncodedPayloadOptions).nullable().optional();

export const JSONPayloadResponse = z
  .object({ type: z.literal('json').meta({ default: 'json' }), value: z.unknown(), encoding_options })
  .meta({ id: 'JSONPayloadResponse' });

const EncryptedPatchValue = z
  .object({ type: z.literal('__encrypted__'), value: z.string() })
  .meta({ id: 'EncryptedPatchValue' });

const path = z.string();
const JSONPatchAdd = z.object({ path, value: z.unknown(), op: z.literal('add') }).meta({ id: 'JSONPatchAdd' });
const JSONPatchReplace = z
  .object({ path, value: z.unknown(), op: z.literal('replace') })
  .meta({ id: 'JSONPatchReplace' });
const JSONPatchRemove = z.object({ path, value: z.unknown(), op: z.literal('remove') }).meta({ id: 'JSONPatchRemove' });
const JSONPatchAppend = z
  .object({ path, value: z.union([z.string(), EncryptedPatchValue]), op: z.literal('append') })
  .meta({ id: 'JSONPatchAppend' });

const JSONPatch = z
  .discriminatedUnion('op', [JSONPatchAppend, JSONPatchAdd, JSONPatchReplace, JSONPatchRemove])
  .meta({ id: 'JSONPatch' });

const JSONPatchPayloadValueResponse = z
  .union([z.array(JSONPatch), z.string()])
  .meta({ id: 'JSONPatchPayloadValueResponse' });

export const JSONPatchPayloadResponse = z
  .object({
    type: z.literal('json_patch').meta({ default: 'json_patch' }),
    value: JSONPatchPayloadValueResponse,
    encoding_options,
  })
  .meta({ id: 'JSONPatchPayloadResponse' });
