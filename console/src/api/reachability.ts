import { useSyncExternalStore } from 'react';

const RETRY_MS = 3000;

let isReachable = true;
let timer: ReturnType<typeof setTimeout> | undefined;
let recovered: (() => void) | undefined;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (value === isReachable) return;
  isReachable = value;
  for (const listener of listeners) listener();
}

/** Called with each response: one of any status means that the server is there. */
export function noteResponse(): void {
  if (isReachable) return;
  clearTimeout(timer);
  set(true);
  recovered?.();
}

/** Called with each request that got no response. From then on the server is asked until it answers. */
export function noteSilence(): void {
  if (!isReachable) return;
  set(false);
  ask();
}

function ask(): void {
  timer = setTimeout(() => {
    fetch('/healthz', { cache: 'no-store' }).then(noteResponse, ask);
  }, RETRY_MS);
}

/** What to do once the server answers again. */
export function onRecovery(listener: () => void): void {
  recovered = listener;
}

export function useReachable(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isReachable,
  );
}
