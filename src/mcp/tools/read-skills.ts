import { z } from 'zod';
import type { SkillCatalogue } from '../../skills/index.ts';
import { mimeTypeOf, uriOf } from '../skill-uris.ts';
import { fileFields, Skill, summarise, summaryFields, which } from './skill-shapes.ts';
import { type McpTool, tool } from './tool.ts';

const common = { permission: 'skills:read', effect: 'reads' } as const;

export function readingTools(catalogue: SkillCatalogue): McpTool[] {
  return [
    tool({
      ...common,
      name: 'list_skills',
      title: 'Browse skills',
      description:
        'Lists the skills of the workspace that you may use, by name. Search with query before a task that a skill might describe.',
      input: z.strictObject({
        query: z.string().max(200).optional().describe('Only skills with this text in their name or description'),
        alias: z.string().optional().describe('Only skills that have this alias, each at that version'),
        pageSize: z.int().min(1).max(100).default(20),
        pageToken: z.string().optional().describe('The nextPageToken of the page before'),
      }),
      output: z.object({
        skills: z.array(z.object(summaryFields)),
        nextPageToken: z.string().optional().describe('There while more may follow, even after a short page'),
      }),
      async run(scope, { query, ...page }) {
        const { skills, nextPageToken } = await catalogue.browse(scope, { ...page, text: query });
        return { skills: skills.map(summarise), ...(nextPageToken === undefined ? {} : { nextPageToken }) };
      },
    }),
    tool({
      ...common,
      name: 'get_skill',
      title: 'Read a skill',
      description: 'Reads the instructions of a skill and the list of its files. Read files with read_skill_file.',
      input: z.strictObject(which),
      output: z.object({
        ...summaryFields,
        body: z.string().describe('The instructions, in Markdown'),
        notes: z.string(),
        digest: z.string().describe('The same for the same text and files'),
        files: z.array(z.object(fileFields)),
      }),
      async run(scope, { skill, ...selector }) {
        const found = await catalogue.read(scope, skill, selector);
        const { body, notes, digest, files } = found;
        const listed = files.map(({ path, sha256, bytes, isExecutable }) => ({ path, sha256, bytes, isExecutable }));
        return { ...summarise(found), body, notes, digest, files: listed };
      },
      show: ({ name, version, description, body, files }) => [
        { type: 'text', text: `# ${name} (version ${version})\n\n${description}\n\n${body}` },
        { type: 'text', text: `Files:\n${files.map(({ path, bytes }) => `- ${path} (${bytes} bytes)`).join('\n')}` },
      ],
    }),
    tool({
      ...common,
      name: 'read_skill_file',
      title: 'Read a file of a skill',
      description: 'Reads one file of a skill by its path, as get_skill lists it.',
      input: z.strictObject({ ...which, path: z.string().min(1).describe('The path in the folder of the skill') }),
      output: z.object({
        skill: z.string(),
        ...fileFields,
        text: z.string().optional().describe('The content, if it is text'),
        base64: z.string().optional().describe('The content, if it is not text'),
      }),
      async run(scope, { skill, path, ...selector }) {
        const { file, content } = await catalogue.readFile(scope, skill, path, selector);
        const { sha256, bytes, isExecutable, isText } = file;
        const held = isText ? { text: content.toString('utf8') } : { base64: content.toString('base64') };
        return { skill, path, sha256, bytes, isExecutable, ...held };
      },
      show({ skill, path, text, base64 = '' }) {
        if (text !== undefined) return [{ type: 'text', text }];
        const uri = uriOf(skill, path);
        return [{ type: 'resource', resource: { uri, mimeType: mimeTypeOf(path, false), blob: base64 } }];
      },
    }),
    tool({
      ...common,
      name: 'list_skill_versions',
      title: 'List the versions of a skill',
      description: 'Lists the versions of a skill, newest first, with their notes and aliases.',
      input: z.strictObject({
        skill: Skill,
        before: z.int32().min(1).optional().describe('Only versions below this number, to go on from a list'),
        limit: z.int().min(1).max(200).default(50),
      }),
      output: z.object({
        versions: z.array(
          z.object({
            version: z.int(),
            description: z.string(),
            notes: z.string(),
            aliases: z.array(z.string()),
            createdAt: z.string(),
            files: z.int().describe('How many files it has besides SKILL.md'),
          }),
        ),
      }),
      async run(scope, { skill, before = Number.POSITIVE_INFINITY, limit }) {
        const versions = [];
        for await (const page of await catalogue.versions(scope, skill)) {
          for (const { version, definition, notes, aliases, created_at } of page) {
            if (version >= before) continue;
            const { description, files } = definition;
            versions.push({
              version,
              description,
              notes,
              aliases,
              createdAt: created_at,
              files: Object.keys(files).length,
            });
            if (versions.length === limit) return { versions };
          }
        }
        return { versions };
      },
    }),
  ];
}
