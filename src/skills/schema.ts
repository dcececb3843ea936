import { z } from 'zod';
import {
  Aliases,
  AliasList,
  fieldsQuery,
  listQuery,
  Notes,
  RegistrySharingScope,
  selectorQuery,
  Timestamp,
  VersionNumber,
} from '../kit/versions/index.ts';
import { checkDefinition } from './rules/check-definition.ts';

const SkillName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);

const isExecutable = z.boolean().optional();
const TextAsset = z.strictObject({ textContent: z.string(), isExecutable });
const RawAsset = z.strictObject({ rawContent: z.string().meta({ format: 'byte' }), isExecutable });
export const SkillAssetContent = z.union([TextAsset, RawAsset]).meta({ id: 'SkillAssetContent' });
export type SkillAssetContent = z.infer<typeof SkillAssetContent>;

/** Files of a skill, by their path in its folder. */
const Assets = refuseProto(z.record(z.string(), SkillAssetContent));

export const SkillDefinition = z
  .strictObject({ description: z.string().optional(), body: z.string().optional(), assets: Assets.optional() })
  .check(({ value, issues }) => {
    for (const { at, rule, message } of checkDefinition(value)) {
      issues.push({ code: 'custom', path: at, message: `${rule}: ${message}`, input: undefined });
    }
  })
  .meta({ id: 'SkillDefinition' });
export type SkillDefinition = z.infer<typeof SkillDefinition>;

const versionFields = {
  definition: SkillDefinition.optional(),
  version: z.int32().optional(),
  notes: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  createdAt: Timestamp.optional(),
};

export const Skill = z
  .strictObject({
    ...versionFields,
    id: z.string().optional(),
    name: z.string().optional(),
    sharingScope: RegistrySharingScope.optional(),
    updatedAt: Timestamp.optional(),
    latestVersion: z.int32().optional(),
  })
  .meta({ id: 'Skill' });
export type Skill = z.infer<typeof Skill>;

export const SkillVersion = z.strictObject(versionFields).meta({ id: 'SkillVersion' });
export type SkillVersion = z.infer<typeof SkillVersion>;

// A page of a hundred skills with eight megabytes of files each is no page: lists leave them out.
const LIST_FIELDS = [...Object.keys(Skill.shape), 'definition.description', 'definition.body'];
const FIELDS = [...LIST_FIELDS, 'definition.assets'];

export const CreateSkillRequest = z
  .strictObject({
    name: SkillName,
    definition: SkillDefinition,
    notes: Notes.nullable().optional(),
    sharingScope: RegistrySharingScope.nullable().optional(),
    aliases: Aliases.optional(),
  })
  .meta({ id: 'CreateSkillRequest' });
export type CreateSkillRequest = z.infer<typeof CreateSkillRequest>;

export const UpdateSkillRequest = z.strictObject({ sharingScope: RegistrySharingScope.nullable().optional() });
export type UpdateSkillRequest = z.infer<typeof UpdateSkillRequest>;

export const CreateSkillVersionRequest = z.strictObject({
  definition: SkillDefinition,
  notes: Notes.nullable().optional(),
  aliases: Aliases.optional(),
});
export type CreateSkillVersionRequest = z.infer<typeof CreateSkillVersionRequest>;

export const UpdateSkillVersionRequest = z.strictObject({
  notes: Notes.nullable().optional(),
  aliases: AliasList.optional(),
});
export type UpdateSkillVersionRequest = z.infer<typeof UpdateSkillVersionRequest>;

export const ListSkillsResponse = z
  .strictObject({ data: z.array(Skill).optional(), nextPageToken: z.string().optional() })
  .meta({ id: 'ListSkillsResponse' });
export type ListSkillsResponse = z.infer<typeof ListSkillsResponse>;

export const ListSkillVersionsResponse = z
  .strictObject({ data: z.array(SkillVersion).optional() })
  .meta({ id: 'ListSkillVersionsResponse' });

export const CreateSkillVersionResponse = z
  .strictObject({ version: z.int32().optional(), deduplicated: z.boolean().optional() })
  .meta({ id: 'CreateSkillVersionResponse' });
export type CreateSkillVersionResponse = z.infer<typeof CreateSkillVersionResponse>;

export const DeleteSkillResponse = z.strictObject({}).meta({ id: 'DeleteSkillResponse' });

export const SkillAliasMove = z
  .strictObject({
    alias: z.string(),
    fromVersion: z.int32().nullable(),
    toVersion: z.int32().nullable(),
    movedAt: Timestamp,
    movedBy: z.string(),
  })
  .meta({ id: 'SkillAliasMove' });
export const ListSkillAliasMovesResponse = z
  .strictObject({ data: z.array(SkillAliasMove) })
  .meta({ id: 'ListSkillAliasMovesResponse' });
export type ListSkillAliasMovesResponse = z.infer<typeof ListSkillAliasMovesResponse>;

export const SkillParams = z.strictObject({ skill_id: z.string() });
export const SkillVersionParams = z.strictObject({ skill_id: z.string(), version: VersionNumber });

export const ListSkillsQuery = listQuery(LIST_FIELDS);
export type ListSkillsQuery = z.infer<typeof ListSkillsQuery>;
export const SkillQuery = selectorQuery(FIELDS);
export type SkillQuery = z.infer<typeof SkillQuery>;
export const SkillVersionQuery = fieldsQuery(FIELDS);

/** What becomes of a skill in which the intake scan found something: it is told, or the skill is refused. */
export const IntakePolicy = z.enum(['report', 'refuse']);
export type IntakePolicy = z.infer<typeof IntakePolicy>;
export const SkillIntake = z.strictObject({ policy: IntakePolicy }).meta({ id: 'SkillIntake' });
export type SkillIntake = z.infer<typeof SkillIntake>;

/** Zod leaves an own `__proto__` out of a record without a word, and a file would be lost. */
function refuseProto<T extends z.ZodRecord>(record: T): T {
  const { parse } = record._zod;
  record._zod.parse = (payload, context) => {
    const { value } = payload;
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
      const message = 'path-reserved: no file can have this name';
      payload.issues.push({ code: 'custom', path: ['__proto__'], message, input: value, inst: record });
    }
    return parse(payload, context);
  };
  record._zod.run = record._zod.parse;
  return record;
}
