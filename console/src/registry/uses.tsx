import type { ReactNode } from 'react';
import { api } from '../api/api.ts';
import markdownStyles from '../ui/markdown.module.css';
import type { Registry } from './queries.ts';

type Uses = { agents: { id: string; name: string; version: number; alias: string | null }[] };

const SHOWN_MAX = 8;

/** The users of an entry or alias, for a confirmation. */
export async function describeUses({ noun }: Registry, id: string, alias: string | undefined): Promise<ReactNode> {
  const { agents } = await api.get<Uses>(`/console/api/${noun}s/${encodeURIComponent(id)}/uses`);
  const using = alias === undefined ? agents : agents.filter((agent) => agent.alias === alias);
  return (
    <>
      {using.length === 0 ? (
        <p>No agent in this workspace uses it. Use by applications is not tracked.</p>
      ) : (
        <div className={markdownStyles.prose}>
          <p>{using.length === 1 ? 'This agent uses it:' : `These ${using.length} agents use it:`}</p>
          <ul>
            {using.slice(0, SHOWN_MAX).map((agent) => (
              <li key={agent.id}>{agent.name}</li>
            ))}
            {using.length > SHOWN_MAX && <li>and {using.length - SHOWN_MAX} more</li>}
          </ul>
          <p>Applications that request it are affected as well.</p>
        </div>
      )}
    </>
  );
}
