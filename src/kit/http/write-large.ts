import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { ownTurn } from '../base/own-turn.ts';
import type { Caller } from '../base/turn-lines.ts';
import { callerOf } from './current-request.ts';
import type { ReadingTurns } from './reading-turns.ts';
import { jsonPieces, StreamedJson } from './streamed-json.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** A shorter response is sent at once. */
const SHORT_CHARACTERS_MAX = 512 * 1024;
/** A client that takes less than a slice in this time is cut off: others wait for what it keeps in memory. */
const SLICE_BYTES = 64 * 1024;
const SLICE_TIMEOUT_MS = 30_000;

type Sent = FastifyReply | string;

export type LargeWriter = {
  /** Returns a short text to be sent when the handler is done; writes a long one itself. */
  sendText(reply: FastifyReply, text: string): Sent;
  /** `checked` sees a list that fits into one group. */
  sendStreamed(
    reply: FastifyReply,
    streamed: StreamedJson<unknown>,
    checked: (value: unknown) => unknown,
  ): Promise<Sent>;
  /** Runs what prepares a large response at once, when it is this caller's turn. */
  inTurn<T>(reply: FastifyReply, prepare: () => Promise<T>): Promise<T>;
};

/** Writes responses of any size with little memory: a slow client delays only itself, and is cut off in the end. */
export function createLargeWriter(
  turns: ReadingTurns,
  onBroken: (reply: FastifyReply, error: unknown) => void,
): LargeWriter {
  function write(reply: FastifyReply, pieces: AsyncIterable<string>): FastifyReply {
    const { raw } = reply;
    reply.hijack();
    raw.writeHead(reply.statusCode, { ...(reply.getHeaders() as Record<string, string>), 'content-type': JSON_TYPE });
    // A HEAD request gets the headers only.
    if (reply.request.method === 'HEAD') raw.end();
    else
      writePieces(raw, pieces, turns, callerOf(reply.request)).catch((error: unknown) => {
        onBroken(reply, error);
        // Half a response must not look complete.
        raw.destroy();
      });
    return reply;
  }

  function sendText(reply: FastifyReply, text: string): Sent {
    if (text.length > SHORT_CHARACTERS_MAX) return write(reply, chain([text]));
    reply.header('content-type', JSON_TYPE);
    return text;
  }

  return {
    sendText,
    async sendStreamed(reply, streamed, checked) {
      const groups = inTurns(streamed.groups, turns, callerOf(reply.request));
      // Read before anything is sent, so that a failure is an HTTP error.
      const first = await groups.next();
      const second = first.done ? first : await groups.next();
      if (second.done) return sendText(reply, JSON.stringify(checked(streamed.whole(first.done ? [] : first.value))));
      const known = [first.value as readonly unknown[], second.value];
      return write(reply, jsonPieces(new StreamedJson(chain(known, groups), streamed.around)));
    },
    async inTurn(reply, prepare) {
      const caller = callerOf(reply.request);
      await turns.enter(caller);
      try {
        return await prepare();
      } finally {
        turns.leave(caller);
      }
    },
  };
}

async function* inTurns<T>(
  groups: AsyncIterable<T>,
  turns: ReadingTurns,
  caller: Caller,
): AsyncGenerator<T, undefined> {
  const source = groups[Symbol.asyncIterator]();
  try {
    for (;;) {
      const wait = turns.enter(caller);
      if (wait) await wait;
      let next: IteratorResult<T>;
      try {
        next = await source.next();
      } finally {
        turns.leave(caller);
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await source.return?.();
  }
}

async function* chain<T>(first: readonly T[], rest?: AsyncGenerator<T, undefined>): AsyncGenerator<T> {
  try {
    yield* first;
    if (rest) yield* rest;
  } finally {
    // A client may leave before the rest was asked for.
    await rest?.return(undefined);
  }
}

async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  turns: ReadingTurns,
  caller: Caller,
): Promise<void> {
  for await (const piece of pieces) {
    await ownTurn(caller);
    const bytes = Buffer.from(piece);
    turns.hold(caller, bytes.length);
    try {
      for (let at = 0; at < bytes.length && !response.destroyed; at += SLICE_BYTES)
        if (!response.write(bytes.subarray(at, at + SLICE_BYTES))) await drained(response);
    } finally {
      turns.release(caller, bytes.length);
    }
    if (response.destroyed) return;
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), SLICE_TIMEOUT_MS);
    response.on('drain', done);
    response.on('close', done);
  });
}
