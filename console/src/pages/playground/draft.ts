import { useEffect, useRef } from 'react';
import { readPlaygroundDraft, writePlaygroundDraft } from '../../api/playground-draft.ts';
import { EMPTY_SETUP, type Setup, type Target } from './setup.ts';
import { EMPTY_PANE, type Pane } from './use-run.ts';

export type Draft = { setup: Setup; other: Target; comparing: boolean; panes: readonly [Pane, Pane] };

type Handed = { model: string; system: string; turns: Pane['turns'] };

const EMPTY: Draft = {
  setup: EMPTY_SETUP,
  other: EMPTY_SETUP.target,
  comparing: false,
  panes: [EMPTY_PANE, EMPTY_PANE],
};

/** What the page was left with, or what another page handed over. */
export function readDraft({ target, other }: { target?: Target; other?: Target }): Draft {
  if (target || other)
    return {
      ...EMPTY,
      setup: { ...EMPTY_SETUP, target: target ?? EMPTY_SETUP.target },
      other: other ?? EMPTY.other,
      comparing: other !== undefined,
    };
  const draft = readPlaygroundDraft() as (Partial<Draft> & { handed?: Handed }) | null;
  if (draft?.handed) {
    const { model, system, turns } = draft.handed;
    const setup = { ...EMPTY_SETUP, target: targetOf(model), system };
    return { ...EMPTY, setup, panes: [{ ...EMPTY_PANE, turns }, EMPTY_PANE] };
  }
  // An older version may have stored less.
  return { ...EMPTY, ...draft, setup: { ...EMPTY_SETUP, ...draft?.setup } };
}

/** A request may have named a prompt as its model. */
function targetOf(model: string): Target {
  const [, name, mark, at] = /^prompt:([^#@]+)(?:([#@])(.+))?$/.exec(model) ?? [];
  if (name) return { kind: 'prompt', name, at: mark === '#' ? `#${at}` : (at ?? '') };
  return { kind: 'model', id: model };
}

/** Written a moment after the last change, and when the page is left. */
export function useKeepDraft(draft: Draft): void {
  const latest = useRef(draft);
  latest.current = draft;
  const write = useRef(() => {
    const { panes, ...rest } = latest.current;
    // What was still arriving, and why something failed, ends with the page.
    const settled = panes.map(({ turns, replies }) => ({ ...EMPTY_PANE, turns, replies }));
    writePlaygroundDraft({ ...rest, panes: settled });
  }).current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change starts the wait again.
  useEffect(() => {
    const timer = setTimeout(write, WAIT_MS);
    return () => clearTimeout(timer);
  }, [draft.setup, draft.other, draft.comparing, draft.panes[0], draft.panes[1], write]);
  useEffect(() => {
    window.addEventListener('pagehide', write);
    return () => {
      window.removeEventListener('pagehide', write);
      write();
    };
  }, [write]);
}

const WAIT_MS = 500;
