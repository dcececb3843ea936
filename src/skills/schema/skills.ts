import { z } from 'zod';
import {
  Aliases,
  createVersionRequest,
  fieldsQuery,
  listQuery,
  Notes,
  objectFields,
  RegistrySharingScope,
  responsesOf,
  selectorQuery,
  VersionNumber,
  versionFields,
} from '../../registry/index.ts';
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

export const Skill = z.strictObject({ ...versionFields(SkillDefinition), ...objectFields }).meta({ id: 'Skill' });
export type Skill = z.infer<typeof Skill>;

const SkillVersion = z.strictObject(versionFields(SkillDefinition)).meta({ id: 'SkillVersion' });

// Lists leave out files: a page of a hundred skills could have 800 MiB of them.
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

export const CreateSkillVersionRequest = createVersionRequest(SkillDefinition);
export type CreateSkillVersionRequest = z.infer<typeof CreateSkillVersionRequest>;

export const ListSkillsResponse = z
  .strictObject({ data: z.array(Skill).optional(), nextPageToken: z.string().optional() })
  .meta({ id: 'ListSkillsResponse' });
export type ListSkillsResponse = z.infer<typeof ListSkillsResponse>;

export const ListSkillVersionsResponse = z
  .strictObject({ data: z.array(SkillVersion).optional() })
  .meta({ id: 'ListSkillVersionsResponse' });

export const {
  created: CreateSkillVersionResponse,
  deleted: DeleteSkillResponse,
  aliasMoves: ListSkillAliasMovesResponse,
} = responsesOf('Skill');
export type CreateSkillVersionResponse = z.infer<typeof CreateSkillVersionResponse>;
export type ListSkillAliasMovesResponse = z.infer<typeof ListSkillAliasMovesResponse>;

export const SkillParams = z.strictObject({ skill_id: z.string() });
export const SkillVersionParams = z.strictObject({ skill_id: z.string(), version: VersionNumber });

export const ListSkillsQuery = listQuery(LIST_FIELDS);
export type ListSkillsQuery = z.infer<typeof ListSkillsQuery>;
export const SkillQuery = selectorQuery(FIELDS);
export type SkillQuery = z.infer<typeof SkillQuery>;
export const SkillVersionQuery = fieldsQuery(FIELDS);

/** What happens to a new version in which the intake scan finds something. */
export const IntakePolicy = z.enum(['report', 'refuse']);
export type IntakePolicy = z.infer<typeof IntakePolicy>;
export const SkillIntake = z.strictObject({ policy: IntakePolicy }).meta({ id: 'SkillIntake' });
export type SkillIntake = z.infer<typeof SkillIntake>;

/** Zod drops an own `__proto__` of a record silently, and the file would be lost. */
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
