import type { Migration } from '../src/kit/db/index.ts';

/** Finds what judges said about a conversation or a user whose contents are deleted. */
export const forgetExplanations: Migration = {
  name: '0051-forget-explanations',
  oldestProgram: '0.1.0',
  up: () => [
    `create index span_evaluations_explained on span_evaluations (workspace_id, conversation_id, user_id)
      where explanation <> ''`,
  ],
};
