import { defineErrors, missing } from '../kit/http/index.ts';

export const conversationErrors = defineErrors({
  conversation_not_found: missing('conversation'),
  entry_not_found: missing('entry'),
  conversation_run_not_found: missing('run of conversation'),
  tool_not_allowed: {
    status: 403,
    when: 'The key may not use a tool that the conversation or its agent has.',
    fix: 'Leave out the tool, or use a key that may use it.',
    message: (tool: string) => `This API key may not use the tool ${tool}. Leave it out, or use another key.`,
  },
  conversation_busy: {
    status: 409,
    fix: 'Wait until it has ended, or follow it: `GET /v1/conversations/{conversation_id}/events`.',
    message: 'A run of this conversation is in progress. Wait until it has ended, or read its events.',
  },
  conversation_deleted: {
    status: 404,
    fix: 'Start a new conversation.',
    message: 'The conversation was deleted while it ran.',
  },
  model_or_agent_required: {
    status: 400,
    when: 'A start gives both `model` and `agent_id`, or neither.',
    fix: 'Give exactly one of the two.',
    message: (given: 'both' | 'neither') =>
      given === 'both' ? 'Give model or agent_id, not both.' : 'Give model or agent_id: one of the two is needed.',
  },
  agent_field_conflict: {
    status: 400,
    when: 'A start with `agent_id` gives fields that come from the agent.',
    fix: 'Leave out `instructions` and `tools`, or change the agent.',
    message: (fields: string) => `With agent_id, ${fields} come from the agent. Leave them out.`,
  },
  agent_version_without_agent: {
    status: 400,
    fix: 'Leave `agent_version` out, or give `agent_id`.',
    message: 'agent_version needs a conversation with an agent_id.',
  },
  entry_id_invalid: {
    status: 400,
    when: 'The id of an input entry is empty or too long.',
    fix: 'Leave the id out to get a new one.',
    message: (charactersMax: number) => `An entry id must have 1 to ${charactersMax} characters.`,
  },
  entry_id_taken: {
    status: 400,
    when: 'Two entries of the conversation would have the same id.',
    fix: 'Leave the id out to get a new one.',
    message: (id: string) => `The entry id '${id}' is used twice. Leave it out to get a new one.`,
  },
  confirmation_not_pending: {
    status: 400,
    when: 'A confirmation names a tool call that does not wait for one.',
    fix: 'Confirm only calls whose `confirmation_status` is `pending`.',
    message: (callId: string) => `No tool call '${callId}' waits for a confirmation.`,
  },
  message_empty: { status: 400, fix: 'Give every message some content.', message: 'A message needs content.' },
  tool_name_taken: {
    status: 400,
    when: 'Two tools of the request have the same name.',
    fix: 'Rename one of them.',
    message: (name: string) => `More than one tool is named '${name}'.`,
  },
  tool_configuration_invalid: {
    status: 400,
    fix: 'Give one of the two.',
    message: 'A tool_configuration has include or exclude, not both.',
  },
  connector_repeated: {
    status: 400,
    when: 'A request names the same connector twice.',
    fix: 'Name it once.',
    message: (id: string) => `The connector '${id}' is named twice. Name it once.`,
  },
  tool_unavailable: {
    status: 400,
    when: 'The tool is not part of this server, not configured by its operator, or no longer offered.',
    fix: 'Leave the tool out, or ask the operator to configure it.',
  },
  tool_call_invalid: {
    status: 400,
    when: 'A model called a tool with arguments that the tool cannot use. The model gets this message.',
    fix: 'Nothing: the model can correct its call.',
  },
  skills_forbidden: {
    status: 403,
    fix: 'Use a key with the permission `skills:read`.',
    message: 'This agent has skills, which this key may not read.',
  },
  skill_unavailable: {
    status: 400,
    when: 'A skill of the agent does not exist, or is not shared with the caller.',
    fix: 'Share the skill, or remove it from the agent.',
    message: (reference: string) =>
      `The agent has the skill '${reference}', which does not exist here or is not shared with you.`,
  },
  tool_server_failed: {
    status: 502,
    when: 'The search provider or the image server behind a tool failed.',
    fix: 'Try again later. The operator finds the cause in the log.',
  },
  model_reply_failed: {
    status: 502,
    fix: 'Try again.',
    message: 'The model ended its reply with an error. Try again.',
  },
  run_interrupted: {
    status: 503,
    fix: 'Append to the conversation to continue: finished entries are kept.',
    message: 'The server stopped during this answer. Finished entries are kept; append to continue.',
  },
  run_failed: {
    status: 500,
    fix: 'Report the request id to the operator.',
    message: 'Something went wrong on our side. Report the request id to the operator.',
  },
  response_cancelled: {
    status: 409,
    fix: 'Create another response.',
    message: 'The response was cancelled.',
  },
});
