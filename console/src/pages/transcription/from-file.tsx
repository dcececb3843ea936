import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import fieldStyles from '../../ui/field.module.css';
import { Field } from '../../ui/field.tsx';
import { Progress } from '../../ui/progress.tsx';
import { type FileProgress, type FileSetup, transcribeFile } from './transcribe-file.ts';
import { clockOf, type Transcript, toTranscript } from './transcript.ts';
import styles from './transcription.module.css';

export function FromFile({ setup, onDone }: { setup: FileSetup; onDone: (transcript: Transcript) => void }) {
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<FileProgress>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const transcribe = async (chosen: File) => {
    const leaving = new AbortController();
    running.current = leaving;
    setError(undefined);
    setProgress({ seconds: 0, total: undefined, text: '' });
    try {
      onDone(toTranscript(chosen.name, await transcribeFile(chosen, setup, setProgress, leaving.signal)));
    } catch (reason) {
      if (!leaving.signal.aborted) setError(reason);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (file) void transcribe(file);
      }}
    >
      <Field label="Audio file" hint="wav, mp3, flac, ogg or webm; up to four hours.">
        {(control) => (
          <input
            {...control}
            type="file"
            className={`${fieldStyles.input} ${styles.file}`}
            accept="audio/*,video/webm,video/ogg"
            onChange={(event) => setFile(event.target.files?.[0])}
          />
        )}
      </Field>
      <ErrorNotice error={error} />
      {progress && (
        <>
          <Progress
            label={progress.text === '' ? 'Uploading and decoding' : 'Transcribing'}
            value={progress.total === undefined || progress.text === '' ? undefined : progress.seconds / progress.total}
            note={
              progress.total === undefined || progress.text === ''
                ? undefined
                : `${clockOf(progress.seconds)} of ${clockOf(progress.total)}`
            }
          />
          <p className={`${styles.live} muted`}>{progress.text.slice(-400)}</p>
        </>
      )}
      <div className="row row-end">
        {progress ? (
          <Button look="danger" icon="stop" onClick={() => running.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" icon="file" disabled={!file}>
            Transcribe
          </Button>
        )}
      </div>
    </form>
  );
}
