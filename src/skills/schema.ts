import { z } from 'zod';
import { checkDefinition } from './rules/check-definition.ts';

export const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const SkillName = z.string().min(1).max(64).regex(SKILL_NAME);

const TextAsset = z.strictObject({ textContent: z.string(), isExecutable: z.boolean().optional() });
const RawAsset = z.strictObject({
  /** Base64. */
  rawContent: z.string(),
  isExecutable: z.boolean().optional(),
});
export const SkillAssetContent = z.union([TextAsset, RawAsset]).meta({ id: 'SkillAssetContent' });
export type SkillAssetContent = z.infer<typeof SkillAssetContent>;

/** Files of a skill, by their path in its folder. */
const Assets = refuseProto(z.record(z.string(), SkillAssetContent));

const definitionFields = {
  description: z.string().optional(),
  body: z.string().optional(),
  assets: Assets.optional(),
};

export const SkillDefinition = z
  .strictObject(definitionFields)
  .check(({ value, issues }) => {
    for (const { at, rule, message } of checkDefinition(value)) {
      issues.push({ code: 'custom', path: at, message: `${rule}: ${message}`, input: undefined });
    }
  })
  .meta({ id: 'SkillDefinition' });
export type SkillDefinition = z.infer<typeof SkillDefinition>;

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
