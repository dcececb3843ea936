import type { Migration } from '../src/kit/db/index.ts';

/**
 * What the console keeps for people: sessions of the playground, and what waits for a look: changed tools of connectors
 * and findings in skills.
 */
export const consoleWork: Migration = {
  name: '0063-console-work',
  oldestProgram: '0.1.0',
  up: ({ text, json, boolean }) => [
    `create table playground_sessions (
      id ${text} primary key,
      workspace_id ${text} not null references workspaces (id),
      user_id ${text} not null,
      name ${text} not null,
      content ${json} not null,
      is_shared ${boolean} not null,
      branch_of ${text},
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index playground_sessions_by_owner on playground_sessions (workspace_id, user_id, updated_at, id)',
    'create index playground_sessions_by_sharing on playground_sessions (workspace_id, is_shared, updated_at, id)',
    `alter table connector_tools add column held_digest ${text}`,
    `alter table connector_tools add column held_at ${text}`,
    `create table skill_findings (
      skill_id ${text} not null references versioned_objects (id) on delete cascade,
      version integer not null,
      workspace_id ${text} not null,
      findings ${json} not null,
      found_at ${text} not null,
      reviewed_at ${text},
      reviewed_by ${text},
      primary key (skill_id, version)
    )`,
    'create index skill_findings_by_review on skill_findings (workspace_id, reviewed_at, found_at)',
  ],
};
