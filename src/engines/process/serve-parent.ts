import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FromChild, Refusal, StartFailure, type ToChild } from './protocol.ts';

/** Serves one request. The signal fires when the client has left. */
export type Serve<Request, Part> = (
  request: Request,
  give: (...parts: Part[]) => void,
  signal: AbortSignal,
) => Promise<void> | void;

export type Served<Request, Part> = {
  serve: Serve<Request, Part>;
  facts?: object;
  /** See `pong` of the protocol. */
  workInHand?: () => number | undefined;
};

export type Host = {
  /** For complaints about what is being loaded, never for content of requests. */
  log(message: string): void;
  /** Reports progress while loading; without further progress the watchdog ends this process after a while. */
  progress(): void;
  /** Tells the engine something before the load is over, which this process may not survive. */
  loading(facts: object): void;
  /** Asks to be ended: native code is held up by one request, which was refused before. */
  stuck(reason: string): void;
  /** Asks to be ended: what this process computes with has failed. The reason completes a sentence: `it …`. Never resolves. */
  broken(reason: string): Promise<never>;
  /** From now on parts wait for `flush`, so that a step costs one message however many requests it served. */
  holdParts(): { flush(): void };
};

/** The child's side of the protocol: loads once, then serves requests until the server is gone. */
export function serveParent<Settings, Request, Part>(
  load: (settings: Settings, host: Host) => Promise<Served<Request, Part>>,
): void {
  const open = new Map<number, AbortController>();
  let loading: Promise<Served<Request, Part>>;
  let loadSteps: number | undefined;
  let workInHand: () => number | undefined = () => loadSteps;
  let isHolding = false;
  let held: [number, Part[]][] = [];

  // The channel closes when the server ends, however it ended.
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C and service managers signal every process at once; the server decides when requests are drained.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

  process.on('message', (message: ToChild<Settings, Request>) => {
    switch (message.kind) {
      case 'start':
        loading = load(message.settings, host);
        void loading.then(becomeReady, giveUp);
        break;
      case 'ping':
        send({ kind: 'pong', work: workInHand() });
        break;
      case 'cancel':
        open.get(message.id)?.abort();
        break;
      case 'request': {
        const controller = new AbortController();
        open.set(message.id, controller);
        void loading.then(
          ({ serve }) => serveOne(message.id, message.request, serve, controller.signal),
          () => undefined,
        );
      }
    }
  });

  const host: Host = {
    log: (message) => send({ kind: 'log', message }),
    loading: (facts) => send({ kind: 'loading', facts }),
    stuck: (reason) => send({ kind: 'stuck', reason }),
    broken(reason) {
      send({ kind: 'broken', reason });
      return new Promise(() => undefined);
    },
    progress() {
      loadSteps = (loadSteps ?? 0) + 1;
    },
    holdParts() {
      isHolding = true;
      return { flush };
    },
  };

  function becomeReady(served: Served<Request, Part>): void {
    workInHand = served.workInHand ?? (() => undefined);
    send({ kind: 'ready', facts: served.facts });
  }

  function giveUp(error: unknown): void {
    const reason = error instanceof StartFailure ? error.message : undefined;
    const detail = describe(error instanceof StartFailure && error.cause ? error.cause : error);
    process.send?.({ kind: 'unusable', reason, detail } satisfies FromChild<Part>, () => process.exit(1));
  }

  async function serveOne(id: number, request: Request, serve: Serve<Request, Part>, signal: AbortSignal) {
    const give = (...parts: Part[]) => {
      held.push([id, parts]);
      if (!isHolding) flush();
    };
    let last: FromChild<Part> = { kind: 'end', id };
    try {
      // The client may have left while the model was being loaded.
      if (!signal.aborted) await serve(request, give, signal);
    } catch (error) {
      last =
        error instanceof Refusal
          ? { kind: 'refused', id, code: error.code, message: error.message }
          : { kind: 'failed', id, reason: describe(error) };
    }
    open.delete(id);
    flush();
    send(last);
  }

  function flush(): void {
    if (held.length > 0) send({ kind: 'parts', items: held });
    held = [];
  }

  function send(message: FromChild<Part>): void {
    // Fails when the server has just gone; then `disconnect` ends this process.
    if (process.connected) process.send?.(message, () => undefined);
  }
}

/** Serves one request after the other, in the order they came. */
export function oneAtATime<Request, Part>(serve: Serve<Request, Part>): Served<Request, Part> {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  let inHand: number | undefined;
  return {
    workInHand: () => inHand,
    serve(request, give, signal) {
      const run = last.then(async () => {
        if (signal.aborted) return;
        inHand = ++count;
        await serve(request, give, signal);
      });
      // A turn of the event loop lets cancellations in.
      const release = () => {
        inHand = undefined;
        return nextTurn();
      };
      last = run.then(release, release);
      return run;
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
