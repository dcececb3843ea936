import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ParkedSockets } from './parked-sockets.ts';

const HEARTBEAT = ': heartbeat\n\n';
const LAST_CHUNK = '0\r\n\r\n';

/** One that waits for its first event is parked soon: what it lets go of is then still young, and cheap to collect. */
const LOOKS_BEFORE_EVENTS = 2;
/** A second. A stream of tokens that pauses would be parked in vain. */
const LOOKS_BETWEEN_EVENTS = 20;

/** Told when the stream is parked, and then, once, when the response is complete or its connection gone. */
type StreamedRequest = { readonly id: string; parked(): void; closed(isComplete: boolean): void };

/** Where a stream is written: the response, or, once it is parked, its connection, as chunks of HTTP/1.1. */
export class StreamConnection {
  readonly isResumable: boolean;
  /** It is parked when it was looked at so often without an event in between. */
  looksLeft = LOOKS_BEFORE_EVENTS;
  #response: ServerResponse | undefined;
  #socket: Socket | undefined;
  #sockets: ParkedSockets | undefined;
  readonly #request: StreamedRequest;
  readonly #bytesRead: number;
  #isClosed = false;
  #keepsAlive = false;
  #isEnded = false;

  constructor(response: ServerResponse, request: StreamedRequest, isResumable = false) {
    this.#response = response;
    this.#request = request;
    this.#bytesRead = response.socket?.bytesRead ?? 0;
    this.isResumable = isResumable;
  }

  get requestId(): string {
    return this.#request.id;
  }

  /** A stopping server ends streams from outside, while their reader may still be behind. */
  get isOpen(): boolean {
    const response = this.#response;
    if (response) return !response.destroyed && !response.writableEnded;
    return !this.#isEnded && this.#socket?.writable === true;
  }

  write(text: string): boolean {
    this.looksLeft = LOOKS_BETWEEN_EVENTS;
    return this.#send(text);
  }

  beat(): void {
    // A slow reader has bytes pending already; more would only grow its queue.
    if (this.isOpen && !this.#target?.writableNeedDrain) this.#send(HEARTBEAT);
  }

  end(text = ''): void {
    if (!this.isOpen) return;
    if (this.#response) return void this.#response.end(text);
    this.#isEnded = true;
    this.#socket?.write(`${toChunk(text)}${LAST_CHUNK}`, (error) => {
      if (!error) this.#completed();
    });
  }

  drained(): Promise<void> {
    const target = this.#target;
    return new Promise((resolve) => {
      if (!target) return resolve();
      const done = () => {
        target.off('drain', done);
        target.off('close', done);
        resolve();
      };
      target.on('drain', done);
      target.on('close', done);
    });
  }

  /** Lets go of the response. Returns false if that must wait. */
  park(sockets: ParkedSockets): boolean {
    const response = this.#response;
    if (!response || !this.isOpen) return true;
    const keepsAlive = response.shouldKeepAlive;
    const taken = sockets.take(response, this, this.#bytesRead);
    if (typeof taken === 'string') return taken === 'never';
    this.#response = undefined;
    this.#socket = taken;
    this.#sockets = sockets;
    this.#keepsAlive = keepsAlive;
    this.#request.parked();
    return true;
  }

  /** The connection is gone. */
  disconnected(): void {
    this.#socket = undefined;
    this.#close(false);
  }

  #completed(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = undefined;
    if (this.#keepsAlive) this.#sockets?.rest(socket);
    else socket.end();
    this.#close(true);
  }

  #close(isComplete: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#request.closed(isComplete);
  }

  get #target(): ServerResponse | Socket | undefined {
    return this.#response ?? this.#socket;
  }

  #send(text: string): boolean {
    if (this.#response) return this.#response.write(text);
    return this.#socket?.write(toChunk(text)) ?? true;
  }
}

/** An empty chunk would be the last one. */
function toChunk(text: string): string {
  return text === '' ? '' : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
