import type { ServerResponse } from 'node:http';

const HEARTBEAT = ': heartbeat\n\n';

/** Where a stream is written. */
export class StreamConnection {
  readonly requestId: string;
  readonly isResumable: boolean;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, requestId: string, isResumable = false) {
    this.#response = response;
    this.requestId = requestId;
    this.isResumable = isResumable;
  }

  /** A stopping server ends streams from outside, while their reader may still be behind. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  write(text: string): boolean {
    return this.#response.write(text);
  }

  beat(): void {
    // A slow reader has bytes pending already; more would only grow its queue.
    if (this.isOpen && !this.#response.writableNeedDrain) this.write(HEARTBEAT);
  }

  end(text = ''): void {
    if (this.isOpen) this.#response.end(text);
  }

  drained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      const done = () => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }
}
