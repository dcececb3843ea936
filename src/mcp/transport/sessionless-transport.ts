import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ClientRequests } from './client-requests.ts';

/**
 * The 2025 protocol without sessions: one transport per HTTP request, so that any server can handle any of them. Unlike
 * the library's transport it lets a tool send requests to its client.
 */
export class SessionlessTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #requests: ClientRequests;
  readonly #principal: string;
  readonly #sent = new Set<RequestId>();

  constructor(requests: ClientRequests, principal: string) {
    // The HTTP server sends the heartbeats of all streams.
    super({ keepAliveMs: 0 });
    this.#requests = requests;
    this.#principal = principal;
  }

  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const request = this.#requests.register(message, this.#principal, (response) => {
      this.#sent.delete(request.id);
      this.onmessage?.(response);
    });
    this.#sent.add(request.id);
    return super.send(request, options);
  }

  override close(): Promise<void> {
    for (const id of this.#sent) this.#requests.forget(id);
    this.#sent.clear();
    return super.close();
  }
}
