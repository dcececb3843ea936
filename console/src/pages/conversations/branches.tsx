import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './conversations.module.css';
import type { Branch } from './queries.ts';

/** Conversations that share their beginning with this one. */
export function Branches({ branches, count }: { branches: readonly Branch[]; count: number }) {
  return (
    <Card title="Branches">
      {branches.length === 0 ? (
        <p className="muted">None. Restart from an entry to create one; this conversation stays unchanged.</p>
      ) : (
        <ul className={styles.branches}>
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
                  ? `Continues this conversation with ${entries - shared_entries} more entries`
                  : `Branches after entry ${shared_entries}, ${entries} in total`}
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
