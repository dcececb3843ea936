import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import type { Branch } from './queries.ts';

/** Conversations that begin as this one does, and where they part from it. */
export function Branches({ branches, count }: { branches: readonly Branch[]; count: number }) {
  return (
    <Card title="Branches">
      {branches.length === 0 ? (
        <p className="muted">None. Restart from an entry to try another way; this one stays as it is.</p>
      ) : (
        <ul className="branches">
          {branches.map(({ conversation_id, name, created_at, entries, shared_entries }) => (
            <li key={conversation_id}>
              <Link
                to="/conversations/$conversationId"
                params={{ conversationId: conversation_id }}
                className="breakable"
              >
                {name || conversation_id}
              </Link>
              <div className="small muted">
                {shared_entries === count && shared_entries < entries
                  ? `Goes on after the end of this one, ${entries - shared_entries} entries more`
                  : `Parts after entry ${shared_entries}, ${entries} in all`}
                {' · '}
                <Time value={created_at} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
