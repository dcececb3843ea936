import { useEffect, useState } from 'react';

/** The current time, updated while active. */
export function useNow(isMoving: boolean, everyMs = 500): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isMoving) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isMoving, everyMs]);
  return now;
}
