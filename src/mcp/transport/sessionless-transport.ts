import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Questions } from './questions.ts';

/**
 * The 2025 protocol without sessions: one transport per HTTP request, so that any process can answer any of them.
 * What it adds to the library's transport is that a tool may still ask its client something.
 */
export class SessionlessTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #questions: Questions;
  readonly #principal: string;
  readonly #asked = new Set<RequestId>();

  constructor(questions: Questions, principal: string) {
    // The heartbeats of all streams are one timer of the HTTP server's.
    super({ keepAliveMs: 0 });
    this.#questions = questions;
    this.#principal = principal;
  }

  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const question = this.#questions.ask(message, this.#principal, (answer) => {
      this.#asked.delete(question.id);
      this.onmessage?.(answer);
    });
    this.#asked.add(question.id);
    return super.send(question, options);
  }

  override close(): Promise<void> {
    for (const id of this.#asked) this.#questions.forget(id);
    this.#asked.clear();
    return super.close();
  }
}
