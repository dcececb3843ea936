import { useCallback, useEffect, useRef, useState } from 'react';
import { credentials } from '../api/request.ts';

/** Per tab and workspace, so that one's words are not another's. Signing in or out clears all of them. */
const keyOf = (name: string) => `tramontane.draft.${credentials.workspaceId ?? ''}.${name}`;

function read<T>(key: string): T | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

function write(key: string, draft: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden: the form works without it.
  }
}

export type KeptDraft<T> = {
  draft: T;
  setDraft: (draft: T) => void;
  /** What was typed before the page was left or reloaded is back. */
  isRestored: boolean;
  /** Returns to the beginning, after saving or to throw the changes away. */
  clear: () => void;
};

/** The state of a form that survives leaving the page and a reload, until it is saved or thrown away. */
export function useDraft<T>(name: string, initial: () => T): KeptDraft<T> {
  const key = keyOf(name);
  const first = useRef<T>(undefined);
  first.current ??= initial();
  const [kept] = useState(() => read<T>(key));
  const [draft, setDraft] = useState<T>(kept ?? first.current);
  const [isRestored, setRestored] = useState(kept !== undefined);
  useEffect(() => {
    if (JSON.stringify(draft) === JSON.stringify(first.current)) sessionStorage.removeItem(key);
    else write(key, draft);
  }, [key, draft]);
  const clear = useCallback(() => {
    sessionStorage.removeItem(key);
    setRestored(false);
    setDraft(first.current as T);
  }, [key]);
  return { draft, setDraft, isRestored, clear };
}
