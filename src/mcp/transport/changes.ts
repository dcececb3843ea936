import type { RequestContext } from '../../kit/http/index.ts';

/** The lists a client may hold a copy of. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

export type Watcher = {
  /** The list looks different to this caller now. */
  onChange(list: ChangedList): void;
  /** The key opens nothing any more. */
  onRevoked(): void;
};

/** Tells of every change that is committed after the promise resolves. The returned function ends it. */
export type WatchLists = (caller: Pick<RequestContext, 'scope' | 'headers'>, watcher: Watcher) => Promise<() => void>;
