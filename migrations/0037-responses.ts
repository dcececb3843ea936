import type { Migration } from '../src/kit/db/index.ts';

/** Stored responses: each is a part of a conversation, from `input_from` to `output_to`. */
export const responses: Migration = {
  name: '0037-responses',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bigint, boolean }) => [
    `create table responses (
      id ${text} primary key,
      workspace_id ${text} not null,
      user_id ${text} not null,
      conversation_id ${text} not null,
      run_id ${text} not null,
      previous_id ${text},
      status ${text} not null,
      background ${boolean} not null,
      request ${json} not null,
      error ${json},
      usage ${json},
      input_from ${bigint} not null,
      output_from ${bigint} not null,
      output_to ${bigint},
      created_ms ${bigint} not null,
      completed_ms ${bigint}
    )`,
    'create index responses_by_conversation on responses (conversation_id)',
  ],
};
