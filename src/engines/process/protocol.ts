/** Messages of the server to a child process. Each request has an id, and several may be open at once. */
export type ToChild<Settings, Request> =
  | { kind: 'start'; settings: Settings }
  | { kind: 'request'; id: number; request: Request }
  | { kind: 'cancel'; id: number }
  | { kind: 'ping' };

export type FromChild<Part> =
  /** What is known while it still loads. */
  | { kind: 'loading'; facts: object }
  /** `facts` describe what was loaded, for the engine and the log. */
  | { kind: 'ready'; facts: object | undefined }
  /** The child cannot serve and exits. `reason` is for clients, `detail` for the log. */
  | { kind: 'unusable'; reason: string | undefined; detail: string }
  /** `work` numbers what native code is working on: it changes with progress and is undefined when idle. */
  | { kind: 'pong'; work: number | undefined }
  | { kind: 'parts'; items: [id: number, parts: Part[]][] }
  | { kind: 'end'; id: number }
  /** The request is at fault. The message is for the client. */
  | { kind: 'refused'; id: number; code: RefusalCode; message: string }
  /** The child or a library is at fault. The reason is for the log only. */
  | { kind: 'failed'; id: number; reason: string }
  /** One request keeps native code busy and was refused for it; only the end of the process frees the others. */
  | { kind: 'stuck'; reason: string }
  /** What it computes with failed, so that no request can be served; only another process can. */
  | { kind: 'broken'; reason: string }
  | { kind: 'log'; message: string };

/** Codes of `errors.ts` that a child may refuse a request with. */
export type RefusalCode =
  | 'prompt_too_long'
  | 'unknown_tool_choice'
  | 'fim_unsupported'
  | 'prefix_not_in_format'
  | 'grammar_too_expensive'
  | 'grammar_too_slow'
  | 'content_unsupported'
  | 'messages_rejected'
  | 'unsupported_document'
  | 'document_encrypted'
  | 'document_damaged'
  | 'document_too_large'
  | 'document_empty'
  | 'document_has_macros'
  | 'document_hides_text'
  | 'archive_too_large'
  | 'image_too_large'
  | 'page_out_of_range'
  | 'too_many_pages'
  | 'answer_too_large'
  | 'audio_format_unsupported'
  | 'audio_damaged'
  | 'audio_empty'
  | 'audio_duration_exceeded';

/** Thrown in a child: this request cannot be served, in words for the client. It knows no HTTP, which is slow to load. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Thrown in a child while it loads: why it cannot serve, in words for clients. The cause is for the log. */
export class StartFailure extends Error {}
