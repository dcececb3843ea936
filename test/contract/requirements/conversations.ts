import { requirementsOf } from './requirement.ts';

export const conversationRequirements = requirementsOf('conversations', {
  'Resources: Conversations and agents': {
    'CONVERSATIONS-KINDS': 'a conversation is a ModelConversation or an AgentConversation, by what it was started from',
    'CONVERSATIONS-ENTRIES': 'the history holds messages, connector entries and function calls in append order',
    'CONVERSATIONS-LIST-ORDER': 'conversations are listed sorted by creation time',
  },
  'States: Conversation': {
    'CONVERSATIONS-DELETE-GONE': 'a deleted conversation can no longer be read, listed or appended to',
    'CONVERSATIONS-APPEND-AFTER-RUN': 'an append adds the new entries after completion and tool runs',
    'CONVERSATIONS-MESSAGES-READ-ONLY': 'POST on the messages path is not a write',
    'CONVERSATIONS-RESTART-NEW':
      'a restart makes a new conversation from the given entry and leaves the old one as it was',
  },
  'Endpoints: Conversations, POST /v1/conversations': {
    'CONVERSATIONS-START-MODEL': 'a conversation starts from a base model',
    'CONVERSATIONS-START-AGENT': 'a conversation starts from an agent',
    'CONVERSATIONS-START-BODY': 'a start without a body is 422',
    'CONVERSATIONS-START-422': 'a start that fails validation is 422',
    'CONVERSATIONS-GUARDRAILS': 'a start accepts guardrails for that request',
  },
  'Endpoints: Conversations, GET /v1/conversations': {
    'CONVERSATIONS-LIST': 'the list is a bare array of conversations of both kinds',
    'CONVERSATIONS-LIST-METADATA': 'metadata, a JSON-encoded object, narrows the list',
    'CONVERSATIONS-LIST-422': 'a page, page_size or metadata that cannot be read is 422',
  },
  'Endpoints: Conversations, GET /v1/conversations/{conversation_id}': {
    'CONVERSATIONS-GET': 'reading answers the conversation in its own kind',
  },
  'Endpoints: Conversations, DELETE /v1/conversations/{conversation_id}': {
    'CONVERSATIONS-DELETE': 'deleting answers 204 without a body',
  },
  'Endpoints: Conversations, POST /v1/conversations/{conversation_id}': {
    'CONVERSATIONS-APPEND': 'appending runs the completion and answers the new entries',
    'CONVERSATIONS-APPEND-BODY': 'an append without a body is 422',
    'CONVERSATIONS-APPEND-422': 'an append that fails validation is 422',
  },
  'Endpoints: Conversations, GET /v1/conversations/{conversation_id}/history': {
    'CONVERSATIONS-HISTORY': 'the history is all entries in append order',
  },
  'Endpoints: Conversations, GET /v1/conversations/{conversation_id}/messages': {
    'CONVERSATIONS-MESSAGES': 'the messages are the message entries and no others',
  },
  'Endpoints: Conversations, POST /v1/conversations/{conversation_id}/restart': {
    'CONVERSATIONS-RESTART': 'a restart runs a completion and answers the new conversation with its new entries',
    'CONVERSATIONS-RESTART-BODY': 'a restart without a body is 422',
    'CONVERSATIONS-RESTART-ENTRY': 'a restart without an entry id is 422',
  },
  'What the service does: 5': {
    'CONVERSATIONS-TOOLS-RUN': 'the service runs tools itself and appends their results',
  },
  'Limits: page and page_size': {
    'CONVERSATIONS-PAGE-DEFAULT': 'without page the first page, number 0, is answered',
    'CONVERSATIONS-PAGE-SIZE-DEFAULT': 'without page_size a page holds up to 100',
  },
  'decisions: Conversations and agents': {
    'CONVERSATIONS-OWNER': 'only the user of the key sees a conversation; to others it is missing',
    'CONVERSATIONS-RESTART-INCLUSIVE': 'a restarted conversation includes the named entry',
    'CONVERSATIONS-RESTART-WITHOUT-APPEND': 'a restart needs no earlier append',
    'CONVERSATIONS-STORE-FALSE': 'with store false nothing is kept and a later append is 404',
    'CONVERSATIONS-DELETE-ABORTS': 'deleting during a run aborts the run',
    'CONVERSATIONS-APPEND-BUSY': 'a second append during a run is 409',
    'CONVERSATIONS-EVENTS': 'a stream is made of the ten event kinds',
    'CONVERSATIONS-WEB-SEARCH-PREMIUM': 'web_search_premium searches with the premium setting of the provider',
    'CONVERSATIONS-DOCUMENT-LIBRARY':
      'document_library searches the libraries that the caller sees, and one that it does not see is missing',
  },
  'decisions: Error bodies, guardrail block': {
    'CONVERSATIONS-GUARDRAILS-BLOCK': 'a blocked input is 403 with the results of the guardrails',
  },
  'decisions: Streams and resume': {
    'CONVERSATIONS-STREAM-RESUME': 'a conversation stream is durable and resumes without gap or repetition',
    'CONVERSATIONS-STREAM-GOES-ON': 'a run goes on when the client leaves',
  },
  'behaviour: 4.4 Tools': {
    'CONVERSATIONS-CONNECTOR': 'a connector is named by its id; its calls are entries under the name of the tool',
    'CONVERSATIONS-CONNECTOR-AUTH': 'a connector is used with the authorization that the client gives',
    'CONVERSATIONS-TOOL-INCLUDE': 'include or exclude narrow the tools of a set, never both',
    'CONVERSATIONS-CONFIRMATION':
      'a tool that needs a confirmation is a pending function.call, runs when it is allowed, and a denial is told to the model',
    'CONVERSATIONS-TOOL-USAGE':
      'connector_tokens counts what tools said, connectors their calls, and the total has both',
    'CONVERSATIONS-TOOL-FILES': 'what a tool wrote is a tool_file chunk whose bytes are read through files',
  },
  'decisions: Numbers and shapes': {
    'CONVERSATIONS-OPENAPI-BETA': 'the interface description tags every conversation operation beta',
  },
});
