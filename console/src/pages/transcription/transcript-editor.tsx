import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Pager } from '../../ui/pager.tsx';
import { changeLine, clockOf, renameSpeaker, speakersOf, type Transcript } from './transcript.ts';
import styles from './transcription.module.css';
import { type Export, exports } from './write-transcript.ts';

const pageSize = 50;

type Props = { transcript: Transcript; onChange: (transcript: Transcript) => void };

/** Lines and names of speakers can be corrected; exports have the corrections. */
export function TranscriptEditor({ transcript, onChange }: Props) {
  const [page, setPage] = useState(1);
  const { lines, name, language } = transcript;
  const last = Math.max(1, Math.ceil(lines.length / pageSize));
  const from = (Math.min(page, last) - 1) * pageSize;
  const speakers = speakersOf(transcript);
  if (lines.length === 0)
    return (
      <Card title="Transcript">
        <EmptyState icon="mic" title="No speech found">
          Check that the recording is loud enough, or choose its language.
        </EmptyState>
      </Card>
    );
  return (
    <Card
      title="Transcript"
      flush
      actions={
        <>
          <CopyButton small text={exports.txt.write(transcript)} label="Copy text" />
          {(Object.keys(exports) as Export[]).map((format) => (
            <Button key={format} small icon="download" onClick={() => save(transcript, format)}>
              {exports[format].label}
            </Button>
          ))}
        </>
      }
    >
      <div className={`${styles.about} small muted`}>
        {[name, language && new Intl.DisplayNames('en', { type: 'language' }).of(language)].filter(Boolean).join(' · ')}
      </div>
      {speakers.length > 0 && (
        <fieldset className={styles.speakers}>
          <legend className="visually-hidden">Speakers</legend>
          {speakers.map((speaker, at) => (
            <TextField
              // biome-ignore lint/suspicious/noArrayIndexKey: a speaker keeps its place while its name is written.
              key={at}
              label={`Speaker ${at + 1}`}
              value={speaker}
              onChange={(event) => onChange(renameSpeaker(transcript, speaker, event.target.value))}
            />
          ))}
        </fieldset>
      )}
      <ol>
        {lines.slice(from, from + pageSize).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their places.
          <li key={from + index} className={styles.line}>
            <span className="small muted numbers">{clockOf(line.start)}</span>
            <div className="grow">
              {line.speaker !== null && <div className={`small ${styles.who}`}>{line.speaker}</div>}
              <TextAreaField
                label={`Text at ${clockOf(line.start)}`}
                hideLabel
                rows={Math.max(1, Math.ceil(line.text.length / 90))}
                value={line.text}
                onChange={(event) => onChange(changeLine(transcript, from + index, event.target.value))}
              />
            </div>
          </li>
        ))}
      </ol>
      <Pager page={Math.min(page, last)} onPage={setPage} pageSize={pageSize} total={lines.length} />
    </Card>
  );
}

function save(transcript: Transcript, format: Export): void {
  const { type, write } = exports[format];
  const url = URL.createObjectURL(new Blob([write(transcript)], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${transcript.name.replace(/\.\w{1,5}$/, '')}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
