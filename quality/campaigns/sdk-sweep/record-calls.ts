import type { Mistral } from '@mistralai/mistralai';
import { MistralError, ResponseValidationError } from '@mistralai/mistralai/models/errors';

/**
 * How the calls of one function ended. A response counts once the SDK has parsed it, a stream once it was read to its
 * end.
 */
export type Calls = { parsed: number; refused: number[]; failed: string[] };

export type CallLog = Record<string, Calls>;

/** Wraps the client without changing its behaviour, and records the outcome of each call. */
export function recordCalls(client: Mistral, log: CallLog): Mistral {
  return recordOn(client, '', log);
}

function recordOn<T extends object>(target: T, prefix: string, log: CallLog): T {
  return new Proxy(target, {
    get(_, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof key === 'symbol') return value;
      const name = `${prefix}${key}`;
      if (typeof value === 'function')
        return (...given: unknown[]) => record(() => Reflect.apply(value, target, given), name, log);
      return typeof value === 'object' && value !== null ? recordOn(value, `${name}.`, log) : value;
    },
  });
}

async function record(ask: () => unknown, name: string, log: CallLog): Promise<unknown> {
  log[name] ??= { parsed: 0, refused: [], failed: [] };
  const calls = log[name];
  try {
    const answer = await ask();
    if (answer instanceof ReadableStream) return readWhole(answer, calls);
    calls.parsed++;
    return answer;
  } catch (error) {
    note(error, calls);
    throw error;
  }
}

async function* readWhole(stream: ReadableStream, calls: Calls): AsyncGenerator {
  let read = 0;
  try {
    for await (const item of stream) {
      read++;
      yield item;
    }
    calls.parsed++;
    read = 0;
  } catch (error) {
    read = 0;
    note(error, calls);
    throw error;
  } finally {
    // Some streams have no end: one event is enough for a caller that stops reading.
    if (read > 0) calls.parsed++;
  }
}

function note(error: unknown, calls: Calls): void {
  // A response that the SDK cannot parse also raises one of its errors, with the status of the response.
  const isRead = error instanceof MistralError && !(error instanceof ResponseValidationError);
  if (isRead && error.statusCode >= 400) calls.refused.push(error.statusCode);
  else calls.failed.push(String(error));
}
