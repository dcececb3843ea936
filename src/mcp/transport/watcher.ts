import type { RequestContext } from '../../kit/http/index.ts';

/** The lists that a client may cache. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

export type Watcher = {
  /** The list has changed for this caller. */
  onChange(list: ChangedList): void;
};

/** Reports every change that is committed after the promise resolves. The returned function stops it. */
export type WatchLists = (caller: Pick<RequestContext, 'scope' | 'headers'>, watcher: Watcher) => Promise<() => void>;
