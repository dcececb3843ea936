import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useDictation } from '../../ui/use-dictation.ts';
import { type Transcript, toTranscript } from './transcript.ts';
import styles from './transcription.module.css';

type Props = { model: string; language: string; onDone: (transcript: Transcript) => void };

export function FromMicrophone({ model, language, onDone }: Props) {
  const { state, error, level, start, stop } = useDictation();
  const [words, setWords] = useState('');
  const begin = () => {
    setWords('');
    void start(
      { model, language: language || undefined },
      {
        onText: (text) => setWords((before) => before + text),
        onEnd: ({ whole }) => whole && onDone(toTranscript('microphone', whole)),
      },
    );
  };
  if (model === '') return <Notice>No model here follows live audio.</Notice>;
  return (
    <div className="stack">
      <p className={styles.live} role="log" aria-label="Live words">
        {words || (
          <span className="muted">{state === 'listening' ? 'Speak now.' : 'Words appear here as you speak.'}</span>
        )}
      </p>
      {state === 'listening' && <meter className={styles.level} min={0} max={1} value={level} aria-label="Loudness" />}
      <ErrorNotice error={error} />
      <div className="row row-end">
        {state === 'listening' ? (
          <Button look="danger" icon="stop" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" icon="mic" busy={state !== 'idle'} onClick={begin}>
            {state === 'ending' ? 'Finishing' : 'Record'}
          </Button>
        )}
      </div>
    </div>
  );
}
