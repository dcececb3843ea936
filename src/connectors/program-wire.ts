import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import { OutboundTooLarge } from '../kit/outbound/index.ts';
import { boundEvents } from './bound-body.ts';
import { ProgramEnded } from './explain-failure.ts';
import type { Wire } from './wires.ts';

/** A program that runs, isolated from the machine. */
export type RunningProgram = {
  stdin: Writable;
  stdout: Readable;
  /** Resolves with the reason, for the operator. */
  ended: Promise<string>;
  end(): Promise<void>;
};

type Message = Parameters<Transport['send']>[0];
/** The library tells the transports of programs from others by these two fields. */
type ProgramTransport = Transport & { stderr: null; pid: null };

/** Messages as lines on standard input and output, within the limits of a response over HTTP. */
export function programWire(program: RunningProgram, bytesMax: number): Wire {
  const over = new AbortController();
  let left = bytesMax;

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of program.stdout) {
      left -= chunk.length;
      if (left < 0) throw new OutboundTooLarge(`The program wrote more than ${bytesMax} bytes.`);
      yield chunk;
    }
  }

  async function read(): Promise<void> {
    try {
      for await (const lines of boundEvents(counted()))
        for (const line of Buffer.from(lines).toString('utf8').split('\n')) receive(line);
    } catch (error) {
      over.abort(error);
    } finally {
      await program.end();
    }
  }

  function receive(line: string): void {
    const message = parseObject(line);
    // Programs also write notes to this output, which are no messages.
    if (message) transport.onmessage?.(message as Message);
  }

  const transport: ProgramTransport = {
    stderr: null,
    pid: null,
    async start() {
      void read();
      void program.ended.then((reason) => {
        over.abort(new ProgramEnded(reason));
        transport.onclose?.();
      });
    },
    async send(message) {
      if (over.signal.aborted) throw over.signal.reason;
      const isTaken = program.stdin.write(`${JSON.stringify(message)}\n`);
      if (!isTaken) await new Promise<void>((resolve) => onDrainOrEnd(program, resolve));
    },
    close: () => program.end(),
  };
  return {
    transport,
    signal: over.signal,
    renew() {
      left = bytesMax;
    },
    end: () => program.end(),
  };
}

function onDrainOrEnd({ stdin, ended }: RunningProgram, done: () => void): void {
  stdin.once('drain', done);
  void ended.then(done);
}

function parseObject(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value ? value : undefined;
  } catch {
    return undefined;
  }
}
