import { z } from 'zod';
import { limitJson, numberedPageQuery } from '../../kit/http/index.ts';

export { numberedPageOf as pageOf } from '../../kit/http/index.ts';

export const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 5000;
const TAGS_MAX = 50;
const JSON_CHARACTERS_MAX = 16 * 1024;

/** PostgreSQL cannot store NUL in a text. */
export const storable = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .overwrite((text) => text.replaceAll('\0', '\ufffd'));

export const Name = storable(NAME_LENGTH_MAX).trim().min(1);
export const Slug = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
export const Description = storable(DESCRIPTION_LENGTH_MAX).nullable();
export const Tags = z.array(Name).max(TAGS_MAX);
export const Metadata = z
  .record(z.string().max(NAME_LENGTH_MAX), z.unknown())
  .check(limitJson(JSON_CHARACTERS_MAX))
  .refine((value) => !JSON.stringify(value).includes('\\u0000'), { message: 'It must not contain NUL characters' });

/** Ids that clients name; any text is looked for and not found. */
export const IdText = storable(NAME_LENGTH_MAX);

export const PageQuery = z.strictObject(numberedPageQuery);
export type PageQuery = z.output<typeof PageQuery>;

export const Search = storable(NAME_LENGTH_MAX).nullable().optional();

export const times = { created_at: z.string(), updated_at: z.string(), deleted_at: z.string().nullable() };
export const anyObject = z.record(z.string(), z.unknown());
export const Reference = z.object({ id: z.string(), name: z.string(), slug: z.string() });
