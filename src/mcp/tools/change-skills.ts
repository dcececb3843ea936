import { z } from 'zod';
import { Aliases } from '../../registry/index.ts';
import { type SkillService, skillSchemas } from '../../skills/index.ts';
import { removeAlias } from './remove-alias.ts';
import { SharingScope, Skill, summarise, summaryFields } from './skill-shapes.ts';
import { type McpTool, tool } from './tool.ts';

const permission = 'skills:write';
const Findings = z
  .array(z.object({ rule: z.string(), file: z.string(), line: z.int() }))
  .describe('What the intake scan found in it, for a person to look at');

export function changingTools(skills: SkillService): McpTool[] {
  const { catalogue } = skills;
  return [
    tool({
      permission,
      effect: 'adds',
      name: 'create_skill',
      title: 'Create a skill',
      description:
        'Makes a new skill; its definition becomes version 1. It is private to you until share_skill shares it. To change one that exists, use create_skill_version.',
      input: skillSchemas.create,
      output: z.object({ ...summaryFields, findings: Findings }),
      async run(scope, input) {
        const { value, findings } = await skills.create(scope, input);
        return { ...summarise(await catalogue.read(scope, value.id ?? input.name)), findings };
      },
    }),
    tool({
      permission,
      effect: 'adds',
      isIdempotent: true,
      name: 'create_skill_version',
      title: 'Create a version of a skill',
      description:
        'Makes a new version of a skill from a whole definition: description, body and all its files. Read it first, and send what should stay too. Earlier versions are kept.',
      input: z.strictObject({ skill: Skill, ...skillSchemas.createVersion.shape }),
      output: z.object({
        version: z.int(),
        deduplicated: z.boolean().describe('True when an earlier version is the same and no new one was made'),
        findings: Findings,
      }),
      async run(scope, { skill, ...request }) {
        const { value, findings } = await skills.createVersion(scope, skill, request);
        const { version = 0, deduplicated = false } = value;
        return { version, deduplicated, findings };
      },
    }),
    tool({
      permission,
      effect: 'overwrites',
      isIdempotent: true,
      name: 'move_skill_alias',
      title: 'Move an alias of a skill',
      description:
        'Points an alias such as production to a version: readers of the skill by that alias get that version from then on. With version null the alias is removed.',
      input: z.strictObject({
        skill: Skill,
        alias: Aliases.element,
        version: z.int32().min(1).nullable(),
      }),
      output: z.object({ skill: z.string(), version: z.int().nullable(), aliases: z.array(z.string()) }),
      async run(scope, { skill, alias, version }) {
        const { aliases } =
          version === null
            ? await removeAlias(skills, scope, { skill, alias })
            : await catalogue.pointAlias(scope, skill, alias, version);
        return { skill, version, aliases };
      },
    }),
    tool({
      permission,
      effect: 'overwrites',
      isIdempotent: true,
      name: 'share_skill',
      title: 'Change who sees a skill',
      description: 'Shares a skill with the workspace, or makes it private to its owner again.',
      input: z.strictObject({ skill: Skill, sharingScope: SharingScope }),
      output: z.object(summaryFields),
      async run(scope, { skill, sharingScope }) {
        // By id: a shared skill and a private one may have the same name, and the name may mean the other one then.
        const { id } = await catalogue.read(scope, skill);
        await skills.update(scope, id, { sharingScope });
        return summarise(await catalogue.read(scope, id));
      },
    }),
    tool({
      permission,
      effect: 'overwrites',
      isIdempotent: true,
      name: 'delete_skill',
      title: 'Delete a skill',
      description: 'Deletes a skill with all its versions and files, for all its users. This cannot be undone.',
      input: z.strictObject({ skill: Skill }),
      output: z.object({ deleted: z.boolean(), id: z.string(), name: z.string() }),
      async run(scope, { skill }) {
        const { id, name } = await catalogue.read(scope, skill);
        await skills.remove(scope, id);
        return { deleted: true, id, name };
      },
    }),
  ];
}
