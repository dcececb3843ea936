import { useState } from 'react';
import type { Draft, Side } from './draft.ts';
import { EMPTY_SIDE } from './draft.ts';
import { buildRequest, type Setup, serverToolsOf, type Turn } from './setup.ts';
import { toConversation } from './to-conversation.ts';
import { EMPTY_PANE, type Run, useRun } from './use-run.ts';

export const SIDES_MAX = 4;

export type Sides = {
  setups: readonly Setup[];
  runs: readonly Run[];
  isShared: boolean;
  setShared: (isShared: boolean) => void;
  /** Of one side; without its target, of all sides if they share their settings. */
  change: (at: number, part: Partial<Setup>) => void;
  add: () => void;
  remove: (at: number) => void;
  /** Shows another session. */
  show: (draft: Pick<Draft, 'sides' | 'isShared'>) => void;
};

/** Up to four sides, each with settings and messages of its own. */
export function useSides(kept: Pick<Draft, 'sides' | 'isShared'>): Sides {
  const [setups, setSetups] = useState<readonly Setup[]>(() => kept.sides.map(({ setup }) => setup));
  const [isShared, setShared] = useState(kept.isShared);
  const request = (at: number) => (turns: readonly Turn[]) => requestOf(setups[at] ?? EMPTY_SIDE.setup, turns);
  const paneAt = (at: number) => kept.sides[at]?.pane ?? EMPTY_PANE;
  // Hooks cannot be called in a loop of changing length, so all four are there always.
  const all = [
    useRun(request(0), paneAt(0)),
    useRun(request(1), paneAt(1)),
    useRun(request(2), paneAt(2)),
    useRun(request(3), paneAt(3)),
  ];
  const show = ({ sides, isShared: shared }: Pick<Draft, 'sides' | 'isShared'>) => {
    setSetups(sides.map(({ setup }) => setup));
    setShared(shared);
    for (const [at, run] of all.entries()) run.show(sides[at]?.pane ?? EMPTY_PANE);
  };
  return {
    setups,
    runs: all.slice(0, setups.length),
    isShared,
    setShared,
    change: (at, { target, ...rest }) =>
      setSetups((before) =>
        before.map((setup, other) => ({
          ...setup,
          ...(isShared || other === at ? rest : {}),
          ...(target && other === at ? { target } : {}),
        })),
      ),
    add: () => setSetups((before) => [...before, before.at(-1) ?? EMPTY_SIDE.setup].slice(0, SIDES_MAX)),
    remove(at) {
      const sides = setups.map((setup, other): Side => ({ setup, pane: all[other]?.pane ?? EMPTY_PANE }));
      show({ sides: sides.filter((_, other) => other !== at), isShared });
    },
    show,
  };
}

function requestOf(setup: Setup, turns: readonly Turn[]) {
  const { request } = buildRequest(setup, turns);
  const tools = serverToolsOf(setup);
  return tools.length > 0 ? toConversation(request, tools) : request;
}
