/** Of a tool, a function or a file; also the id of an agent or an entry. */
export const NAME_CHARACTERS_MAX = 256;
/** The name of a model may be a prompt with an alias. */
export const MODEL_CHARACTERS_MAX = 512;
/** Model servers invent them, some with a signature inside. */
export const CALL_ID_CHARACTERS_MAX = 4096;
/** Half of a context of 128,000 tokens. */
export const INSTRUCTIONS_CHARACTERS_MAX = 256 * 1024;
export const DESCRIPTION_CHARACTERS_MAX = 10_000;
/** Of a function or a schema, which models read. */
export const LONG_DESCRIPTION_CHARACTERS_MAX = 64 * 1024;
/** The published limit of a request. */
export const TOOLS_MAX = 128;
export const TOOL_NAMES_MAX = 1000;
export const GUARDRAILS_MAX = 32;
export const STOP_CHARACTERS_MAX = 1000;
/** An engine looks for each of them after each token. */
export const STOPS_MAX = 1000;
/** Of one token; the limit of other servers too. */
export const TOP_LOGPROBS_MAX = 20;
/** Of one token of every choice together: a response holds each of them as text. */
export const LOGPROBS_MAX = 64;
export const PREDICTION_CHARACTERS_MAX = 512 * 1024;
/** As JSON: all tools, or all arguments, of an agent or a conversation. They are kept and shown in lists. */
export const STORED_CHARACTERS_MAX = 1024 * 1024;
