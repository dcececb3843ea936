import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PlaygroundSession } from '../../../../src/console/schema/playground.ts';
import { api } from '../../api/api.ts';
import { useToast } from '../../ui/toast.tsx';
import { type Draft, parseDraft, settled } from './draft.ts';
import { SESSIONS, sessionsQuery } from './queries.ts';

const SAVE_MS = 800;
const NAME_CHARACTERS = 60;

export const pathOf = (id: string) => `${SESSIONS}/${encodeURIComponent(id)}`;

const contentOf = ({ sides, isShared }: Draft) => {
  const { sides: kept } = settled({ sides, isShared, session: undefined });
  return { sides: kept, isShared };
};

/** The words with which somebody began. */
export function nameFor({ sides }: Pick<Draft, 'sides'>): string {
  const said =
    sides[0]?.pane.turns.find(({ role, content }) => role === 'user' && content.trim() !== '')?.content ?? '';
  const words = said.replaceAll(/\s+/g, ' ').trim();
  if (words === '') return 'New session';
  return words.length > NAME_CHARACTERS ? `${words.slice(0, NAME_CHARACTERS).trimEnd()}…` : words;
}

/** A page that is kept under a name is saved by itself, a moment after each change. */
export function useSession(draft: Omit<Draft, 'session'>, first: Draft['session'], isRunning: boolean) {
  const [session, setSession] = useState(first);
  const client = useQueryClient();
  const toast = useToast();
  const renew = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  // Empty: what the tab has kept may be newer than what the server has.
  const saved = useRef('');
  const latest = useRef(draft);
  latest.current = draft;
  const id = session?.id;
  const write = async () => {
    if (id === undefined) return;
    const content = contentOf({ ...latest.current, session: undefined });
    const text = JSON.stringify(content);
    if (text === saved.current) return;
    saved.current = text;
    try {
      await api.patch(pathOf(id), { content });
    } catch (error) {
      // The next change tries again.
      saved.current = '';
      throw error;
    }
  };
  // Each render starts the wait again, so that nothing is written while words arrive.
  useEffect(() => {
    if (id === undefined || isRunning) return;
    const timer = setTimeout(() => void write().catch(toast.error), SAVE_MS);
    return () => clearTimeout(timer);
  });

  const create = async (name: string, kept: unknown, branchOf?: string) => {
    const body = { name, content: kept, ...(branchOf ? { branch_of: branchOf } : {}) };
    const made = await api.post<PlaygroundSession>(SESSIONS, body);
    await renew();
    return made;
  };
  /** What the page shows from now on is this session. */
  const adopt = (made: { id: string; name: string } | undefined, shown: Omit<Draft, 'session'>) => {
    saved.current = JSON.stringify(contentOf({ ...shown, session: undefined }));
    setSession(made && { id: made.id, name: made.name });
  };
  return {
    session,
    adopt,
    renew,
    rename: (name: string) => session && setSession({ ...session, name }),
    async save(name: string, branchOf?: string) {
      adopt(await create(name, contentOf({ ...draft, session: undefined }), branchOf), draft);
    },
    /** Another session that goes on from an earlier message; this one stays as it is. */
    async branch(shown: Omit<Draft, 'session'>) {
      // What came a moment ago is still to be saved, and belongs to the one that stays.
      await write();
      const origin = session ?? (await create(nameFor(draft), contentOf({ ...draft, session: undefined })));
      const made = await create(`${origin.name} (branch)`, contentOf({ ...shown, session: undefined }), origin.id);
      adopt(made, shown);
    },
    /** Somebody else's is shown, and going on makes a session of one's own. */
    async open(other: string): Promise<Draft> {
      await write().catch(toast.error);
      const found = await api.get<PlaygroundSession>(pathOf(other));
      const { sides, isShared } = parseDraft(found.content);
      const shown = { sides, isShared };
      adopt(found.is_own ? found : undefined, shown);
      return { ...shown, session: found.is_own ? { id: found.id, name: found.name } : undefined };
    },
  };
}
