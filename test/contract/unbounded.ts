/** Places of request bodies without a maximum of their own, and what bounds them instead. `*` is any run of characters. */
export type Exception = { at: string; reason: string };

const content = 'Content for a model: the body limit bounds it, and lists of what is kept are written in groups.';
const input = 'Input of a model: the body limit and the context of the model bound it, and it is kept nowhere.';
const dialect =
  'In the words of another API: content and schemas for a model, and hints that are dropped. What is kept has its limits: tools as JSON, names, users.';
const metadata = 'Kept nowhere; the body limit bounds it.';
const schema = 'A JSON Schema has a budget of its own; where it is kept, all tools or arguments have a limit together.';
const payload = 'Every payload is at most 2 MiB as JSON: payloads/limits.ts.';
const worker =
  'What a worker reports of a run: the body limit of the route bounds it, and each payload has its own limit.';
const small = 'A mapping has at most as many keys as its check allows, each of bounded length.';
const registered = 'A workflow with all its schemas has at most 1 Mi characters as JSON.';

export const exceptions: Exception[] = [
  {
    at: 'POST /telemetry/v1/*',
    reason: 'Spans and logs: the body limit bounds them, and each text is cut when it is stored.',
  },
  {
    at: '* /console/api/playground/sessions*.content',
    reason: 'The body limit of the route bounds it, and how many a user keeps is limited.',
  },
  {
    at: 'WebhookPayload',
    reason: 'What a provider posts: the body limit bounds it, and it is kept until it was handled.',
  },
  { at: '*Message.content*', reason: content },
  { at: '*.messages', reason: content },
  { at: '*Chunk.*', reason: content },
  { at: 'Message*ContentChunks', reason: content },
  { at: 'ImageURL.url', reason: content },
  { at: 'ConversationInputs', reason: content },
  { at: 'InputEntries', reason: content },
  { at: '*Entry.content', reason: content },
  { at: 'FunctionResultEntry.result', reason: content },
  { at: 'ToolExecutionEntry.arguments', reason: content },
  { at: 'FunctionCallEntryArguments', reason: content },
  { at: 'ToolExecutionInfo', reason: content },
  { at: 'FunctionCall.arguments', reason: content },
  { at: 'ChatModerationRequest.input*', reason: input },
  { at: 'ClassificationRequest.input*', reason: input },
  { at: 'ChatClassificationRequest*', reason: input },
  { at: 'EmbeddingRequest.input*', reason: input },
  { at: 'FIMCompletionRequest.prompt', reason: input },
  { at: 'FIMCompletionRequest.suffix', reason: input },
  { at: 'Responses*', reason: content },
  { at: 'C*Response*Request.*', reason: content },
  { at: 'OpenAi*', reason: dialect },
  { at: 'Anthropic*', reason: dialect },
  { at: '*Request.metadata', reason: metadata },
  {
    at: 'AudioTranscriptionRequest.speaker_references*',
    reason: 'The body limit bounds it, each recording has a limit, and it is kept for the request alone.',
  },
  { at: 'AudioTranscriptionRequest.language', reason: 'Its pattern has two characters.' },
  { at: 'Function.parameters', reason: schema },
  { at: 'JsonSchema.schema', reason: schema },
  {
    at: 'BatchRequest.body',
    reason: 'A request to another route, whose schema checks it; the job is a file of such lines.',
  },
  {
    at: 'JsonRpcMessage*',
    reason: 'A message of another protocol; the arguments of each tool have a schema of their own.',
  },
  { at: 'ClientEvent.properties', reason: metadata },
  { at: 'SpeechRequest.ref_audio', reason: 'A recording: the body limit of the route bounds it.' },
  { at: 'SpeechRequest{}', reason: 'Unknown members are ignored and kept nowhere.' },
  { at: 'VoiceCreateRequest.sample_audio', reason: 'A recording: the body limit of the route bounds it.' },
  { at: '*ScheduleDefinition.input', reason: payload },
  { at: '*InvocationBody.input', reason: payload },
  { at: 'WorkflowExecutionRequest.input', reason: payload },
  { at: 'POST /v?/workflows/events*', reason: worker },
  { at: 'POST /v1/workflows/workers/*', reason: worker },
  { at: 'POST /v1/workflows/register.definitions[]*', reason: registered },
  {
    at: '*.search_key_metadata*',
    reason: 'What exceeds the limits of search keys is cut or dropped, and the response names it.',
  },
  { at: '*/graphs.graph_data', reason: 'A graph has at most 512 Ki characters as JSON.' },
  { at: '*FieldDefinition.default', reason: 'A default has at most 10,000 characters as JSON.' },
  {
    at: 'JudgeConversationRequest.messages[]',
    reason: 'A conversation to judge: the body limit of the route bounds it.',
  },
  {
    at: 'JudgeConversationRequest.properties',
    reason: 'A conversation to judge: the body limit of the route bounds it.',
  },
  { at: 'JudgeDefinitionV1.mapping', reason: small },
  { at: 'LlmJudgeReference.mapping', reason: small },
  { at: 'OTLPDestination.headers', reason: 'A pipeline of this kind is refused.' },
  { at: 'TelemetrySpanReference.*', reason: 'Ids of traces and spans have one form, which is of one length.' },
];
