import { useEffect, useState } from 'react';
import { formatMoment, formatRelative } from './format.ts';

/** Relative time, with the exact time in the tooltip. */
export function Time({ value }: { value: string | number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(value).toISOString()} title={formatMoment(value)}>
      {formatRelative(value, now)}
    </time>
  );
}
