import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import cardStyles from './card.module.css';
import { ErrorState } from './error-state.tsx';
import { Skeleton } from './skeleton.tsx';

type Props<T> = { query: UseQueryResult<T>; lines?: number; padded?: boolean; children: (data: T) => ReactNode };

/** Renders a query's data, a skeleton or the error. Data stays visible while it is reloaded. */
export function Loaded<T>({ query, lines = 4, padded = false, children }: Props<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const skeleton = <Skeleton lines={lines} />;
  return padded ? <div className={cardStyles.body}>{skeleton}</div> : skeleton;
}
