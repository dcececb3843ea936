import { defineErrors, missing } from '../kit/http/index.ts';

export const mcpErrors = defineErrors({
  mcp_accept_required: {
    status: 406,
    fix: 'Send `Accept: application/json, text/event-stream`.',
    message: 'Send "Accept: application/json, text/event-stream": a reply may come as either.',
  },
  published_skill_not_found: {
    ...missing('published skill'),
    when: 'The skill does not exist, is private, or has no version with the alias `published`.',
    fix: 'Choose a skill of `/.well-known/agent-skills/index.json`.',
  },
  skill_index_not_found: {
    ...missing('index of published skills'),
    when: 'The operator has not named a workspace whose skills are published.',
    fix: 'Set `published_workspace` in the configuration.',
  },
});
