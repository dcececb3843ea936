import type { Migration } from '../src/kit/db/index.ts';

export const skills: Migration = {
  name: '0005-skills',
  oldestProgram: '0.1.0',
  up: ({ text, bytes }) => [
    // A file that several versions of a skill share is stored once; all files are deleted with the skill.
    `create table skill_files (
      skill_id ${text} not null references versioned_objects (id) on delete cascade,
      sha256 ${text} not null,
      content ${bytes} not null,
      primary key (skill_id, sha256)
    )`,
    `create table skill_intake (
      workspace_id ${text} primary key references workspaces (id),
      policy ${text} not null,
      updated_at ${text} not null
    )`,
  ],
};
