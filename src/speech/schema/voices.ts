import { z } from 'zod';
import { queryInt, queryRepeated } from '../../kit/http/index.ts';

/** The formats of a stored sample. */
export type SampleType = 'wav' | 'mp3';

const NAME_CHARACTERS_MAX = 200;
const WORDS_MAX = 50;
const SLUG = /^[a-z0-9]+([._-][a-z0-9]+)*$/i;
const SLUG_CHARACTERS_MAX = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** PostgreSQL keeps no NUL in a text. */
const storable = z.string().overwrite((text) => text.toWellFormed().replaceAll('\0', '\ufffd'));
const ofName = { maxLength: NAME_CHARACTERS_MAX };
const short = storable
  .refine(({ length }) => length <= NAME_CHARACTERS_MAX, `this has room for ${NAME_CHARACTERS_MAX} characters`)
  .meta(ofName);
const words = z
  .array(short)
  .refine(({ length }) => length <= WORDS_MAX, `this has room for ${WORDS_MAX} items`)
  .meta({ maxItems: WORDS_MAX });
const name = short.refine((text) => text.trim() !== '', 'a voice needs a name').meta(ofName);
const description = storable.max(500).nullable().optional();

const slug = z
  .string()
  .refine(
    (text) => SLUG.test(text) && text.length <= SLUG_CHARACTERS_MAX && !UUID.test(text),
    `a slug is 1 to ${SLUG_CHARACTERS_MAX} letters and digits, with single '.', '_' or '-' between them, and no UUID`,
  )
  .meta({ maxLength: SLUG_CHARACTERS_MAX });

const fields = {
  gender: short.nullable().optional(),
  age: z.int().nullable().optional(),
  tags: words.nullable().optional(),
  description,
};

export const VoiceCreateRequest = z
  .strictObject({
    name,
    slug: slug.nullable().optional(),
    languages: words.default([]),
    ...fields,
    color: short.nullable().optional(),
    retention_notice: z.int().default(30),
    /** Base64 of a WAV or MP3 file. */
    sample_audio: z.string(),
    sample_filename: storable.max(1000).nullable().optional(),
  })
  .meta({ id: 'VoiceCreateRequest' });
export type VoiceCreateRequest = z.infer<typeof VoiceCreateRequest>;

/** What is left out stays; null empties a field, except the name and the notice, which stay too. */
export const VoiceUpdateRequest = z
  .strictObject({
    name: name.nullable().optional(),
    languages: words.nullable().optional(),
    ...fields,
    retention_notice: z.int().nullable().optional(),
  })
  .meta({ id: 'VoiceUpdateRequest' });
export type VoiceUpdateRequest = z.infer<typeof VoiceUpdateRequest>;

export const VoiceResponse = z
  .object({
    name: z.string(),
    slug: z.string().nullable().optional(),
    languages: z.array(z.string()).default([]),
    gender: z.string().nullable().optional(),
    age: z.int().nullable().optional(),
    tags: z.array(z.string()).nullable().optional(),
    color: z.string().nullable().optional(),
    description: z.string().max(500).nullable().optional(),
    retention_notice: z.int().default(30),
    id: z.guid(),
    created_at: z.iso.datetime(),
    user_id: z.string().nullable(),
    type: z.enum(['preset', 'custom']),
    trimmed_seconds: z.number().nullable().optional(),
  })
  .meta({ id: 'VoiceResponse' });
export type VoiceResponse = z.infer<typeof VoiceResponse>;

export const VoiceListResponse = z
  .object({
    items: z.array(VoiceResponse),
    total: z.int(),
    page: z.int(),
    page_size: z.int(),
    total_pages: z.int(),
  })
  .meta({ id: 'VoiceListResponse' });
export type VoiceListResponse = z.infer<typeof VoiceListResponse>;

export const VoicesQuery = z.strictObject({
  limit: queryInt().min(1).max(100).default(10),
  offset: queryInt().min(0).default(0),
  type: z.enum(['all', 'custom', 'preset']).default('all'),
});
export type VoicesQuery = z.infer<typeof VoicesQuery>;

const VoiceGender = z.enum(['female', 'male', 'neutral']).meta({ id: 'VoiceGender' });

export const VoicesSearchQuery = z.strictObject({
  page_size: queryInt().min(1).max(100).default(10),
  page_token: z.string().max(1000).nullable().optional(),
  type: z.enum(['all', 'custom', 'preset']).default('all'),
  gender: queryRepeated(VoiceGender).max(WORDS_MAX).nullable().optional(),
  language: queryRepeated(z.string().max(NAME_CHARACTERS_MAX)).max(WORDS_MAX).nullable().optional(),
  query: z.string().max(NAME_CHARACTERS_MAX).nullable().optional(),
  kind: z.enum(['ivc', 'pvc']).nullable().optional(),
});
export type VoicesSearchQuery = z.infer<typeof VoicesSearchQuery>;

export const VoiceListPage = z
  .object({ data: z.array(VoiceResponse), next_page_token: z.string().nullable().optional() })
  .meta({ id: 'VoiceListPage' });
export type VoiceListPage = z.infer<typeof VoiceListPage>;

/** Of any voice, by id or slug. */
export const VoiceParams = z.strictObject({ voice_id: z.string() });
/** Of a custom voice, which alone can be changed. */
export const CustomVoiceParams = z.strictObject({ voice_id: z.guid() });
