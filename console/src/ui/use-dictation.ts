import { useEffect, useRef, useState } from 'react';
import { type Dictation, type DictationEvents, startDictation } from '../api/dictation.ts';

export type DictationState = 'idle' | 'starting' | 'listening' | 'ending';

/** One dictation at a time, which ends with the page. */
export function useDictation() {
  const [state, setState] = useState<DictationState>('idle');
  const [error, setError] = useState<unknown>();
  const [level, setLevel] = useState(0);
  const running = useRef<Dictation>(undefined);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      running.current?.cancel();
    };
  }, []);

  const start = async (setup: { model: string; language?: string | undefined }, events: DictationEvents) => {
    setState('starting');
    setError(undefined);
    const fail = (reason: unknown) => {
      setState('idle');
      setLevel(0);
      setError(reason);
    };
    try {
      const dictation = await startDictation(setup, {
        ...events,
        onLevel: setLevel,
        onEnd(end) {
          running.current = undefined;
          events.onEnd(end);
          fail(end.error);
        },
      });
      if (isGone.current) return dictation.cancel();
      running.current = dictation;
      setState('listening');
    } catch (reason) {
      fail(reason);
    }
  };
  const stop = () => {
    setState('ending');
    setLevel(0);
    running.current?.stop();
  };
  return { state, error, level, start, stop };
}
