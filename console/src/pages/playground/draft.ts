import { useEffect, useRef } from 'react';
import { readPlaygroundDraft, writePlaygroundDraft } from '../../api/playground-draft.ts';
import { forKeeping } from './attachments.ts';
import { EMPTY_SETUP, type Setup, type Target, type Turn } from './setup.ts';
import { EMPTY_PANE, type Pane } from './use-run.ts';

/** A side of the playground: what it asks, and what was said. */
export type Side = { setup: Setup; pane: Pane };

/** The whole page, as it is kept in the tab and in sessions. */
export type Draft = {
  sides: readonly Side[];
  /** Settings are changed for all sides at once. */
  isShared: boolean;
  /** The session that the page shows, if it is kept as one. */
  session: { id: string; name: string } | undefined;
};

type Handed = { model: string; system: string; turns: Pane['turns'] };
/** What the page kept before it had more than two sides. */
type Older = { setup?: Partial<Setup>; other?: Target; comparing?: boolean; panes?: readonly Pane[] };

export const EMPTY_SIDE: Side = { setup: EMPTY_SETUP, pane: EMPTY_PANE };
const EMPTY: Draft = { sides: [EMPTY_SIDE], isShared: true, session: undefined };

const sideOf = (target: Target, rest: Partial<Setup> = {}, pane: Pane = EMPTY_PANE): Side => ({
  setup: { ...EMPTY_SETUP, ...rest, target },
  pane,
});

/** What the page was left with, or what another page handed over. */
export function readDraft({ target, other }: { target?: Target; other?: Target }): Draft {
  if (target || other) {
    const first = sideOf(target ?? EMPTY_SETUP.target);
    return { ...EMPTY, sides: other ? [first, sideOf(other)] : [first] };
  }
  return parseDraft(readPlaygroundDraft());
}

/** An older version may have kept less. */
export function parseDraft(kept: unknown): Draft {
  const draft = (kept ?? {}) as Partial<Draft> & Older & { handed?: Handed };
  if (draft.handed) {
    const { model, system, turns } = draft.handed;
    return { ...EMPTY, sides: [sideOf(targetOf(model), { system }, { ...EMPTY_PANE, turns })] };
  }
  if (draft.sides?.length) {
    const sides = draft.sides.map(({ setup, pane }) => ({
      setup: { ...EMPTY_SETUP, ...setup },
      pane: { ...EMPTY_PANE, ...pane },
    }));
    return { sides, isShared: draft.isShared ?? true, session: draft.session };
  }
  if (!draft.setup) return EMPTY;
  const { target = EMPTY_SETUP.target, ...rest } = draft.setup;
  const [left = EMPTY_PANE, right = EMPTY_PANE] = draft.panes ?? [];
  const first = sideOf(target, rest, left);
  return { ...EMPTY, sides: draft.comparing && draft.other ? [first, sideOf(draft.other, rest, right)] : [first] };
}

/** What was still arriving, and why something failed, ends with the page. */
export function settled({ sides, ...rest }: Draft): Draft {
  return {
    ...rest,
    sides: sides.map(({ setup, pane: { turns, replies } }) => ({
      setup,
      pane: { ...EMPTY_PANE, turns: turns.map(withoutLargeFiles), replies },
    })),
  };
}

function withoutLargeFiles(turn: Turn): Turn {
  return turn.role === 'user' && turn.attachments ? { ...turn, attachments: forKeeping(turn.attachments) } : turn;
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
  const write = useRef(() => writePlaygroundDraft(settled(latest.current))).current;
  const marks = draft.sides.flatMap(({ setup, pane }) => [setup, pane]);
  // A list of another length would be an error of the hook.
  const mark = useRef<readonly unknown[]>([]);
  const isSame = mark.current.length === marks.length && marks.every((one, at) => one === mark.current[at]);
  if (!isSame) mark.current = marks;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change starts the wait again.
  useEffect(() => {
    const timer = setTimeout(write, WAIT_MS);
    return () => clearTimeout(timer);
  }, [mark.current, draft.isShared, draft.session, write]);
  useEffect(() => {
    window.addEventListener('pagehide', write);
    return () => {
      window.removeEventListener('pagehide', write);
      write();
    };
  }, [write]);
}

const WAIT_MS = 500;
