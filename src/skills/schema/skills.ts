import { z } from 'zod';
import { objectSchemas } from '../../registry/index.ts';
import { checkDefinition, DESCRIPTION_CHARACTERS_MAX, FILE_BYTES_MAX, FILES_MAX } from './rules/check-definition.ts';
import { PATH_BYTES_MAX } from './rules/check-path.ts';

/** Base64, with some line breaks. */
const RAW_CHARACTERS_MAX = FILE_BYTES_MAX * 1.5;

const SkillName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);

const isExecutable = z.boolean().optional();
// The rules of checkDefinition enforce what `meta` documents, each with a message of its own.
const TextAsset = z.strictObject({ textContent: z.string().meta({ maxLength: FILE_BYTES_MAX }), isExecutable });
const RawAsset = z.strictObject({
  rawContent: z.string().meta({ format: 'byte', maxLength: RAW_CHARACTERS_MAX }),
  isExecutable,
});
export const SkillAssetContent = z.union([TextAsset, RawAsset]).meta({ id: 'SkillAssetContent' });
export type SkillAssetContent = z.infer<typeof SkillAssetContent>;

/** Files of a skill, by their path in its folder. */
const Assets = refuseProto(
  z.record(z.string().meta({ maxLength: PATH_BYTES_MAX }), SkillAssetContent).meta({ maxProperties: FILES_MAX }),
);

export const SkillDefinition = z
  .strictObject({
    description: z.string().meta({ maxLength: DESCRIPTION_CHARACTERS_MAX }).optional(),
    body: z.string().meta({ maxLength: FILE_BYTES_MAX }).optional(),
    assets: Assets.optional(),
  })
  .check(({ value, issues }) => {
    for (const { at, rule, message } of checkDefinition(value)) {
      issues.push({ code: 'custom', path: at, message: `${rule}: ${message}`, input: undefined });
    }
  })
  .meta({ id: 'SkillDefinition' });
export type SkillDefinition = z.infer<typeof SkillDefinition>;

export const skillSchemas = objectSchemas({
  noun: 'Skill',
  name: SkillName,
  definition: SkillDefinition,
  // Lists leave out files: a page of a hundred skills could have 800 MiB of them.
  listed: ['description', 'body'],
  unlisted: ['assets'],
});
export type Skill = z.infer<typeof skillSchemas.object>;

/** What happens to a new version in which the intake scan finds something. */
export const IntakePolicy = z.enum(['report', 'refuse']);
export type IntakePolicy = z.infer<typeof IntakePolicy>;
export const SkillIntake = z.strictObject({ policy: IntakePolicy }).meta({ id: 'SkillIntake' });
export type SkillIntake = z.infer<typeof SkillIntake>;

/** Zod drops an own `__proto__` of a record silently, and the file would be lost. */
function refuseProto<T extends z.ZodRecord>(record: T) {
  return z.preprocess((value, context) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      const message = 'path-reserved: no file can have this name';
      context.issues.push({ code: 'custom', path: ['__proto__'], message, input: value });
    }
    return value;
  }, record);
}
