import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { FromFile } from './from-file.tsx';
import { FromMicrophone } from './from-microphone.tsx';
import { hearingModels } from './queries.ts';
import type { Transcript } from './transcript.ts';
import { TranscriptEditor } from './transcript-editor.tsx';
import styles from './transcription.module.css';

const languages = 'en de es fr hi it ja nl pl pt ru uk zh'.split(' ');
const names = new Intl.DisplayNames('en', { type: 'language' });
const sources = [
  { value: 'file', label: 'File' },
  { value: 'microphone', label: 'Microphone' },
] as const;
type Source = (typeof sources)[number]['value'];

export function TranscriptionPage() {
  const models = useQuery(hearingModels);
  return (
    <Page title="Transcription" lead="Convert speech to text from a file or live from the microphone.">
      <Loaded query={models} lines={6}>
        {(found) =>
          found.length === 0 ? (
            <Card>
              <EmptyState icon="mic" title="No transcription model">
                Download a transcription model under Models, or add one to the configuration file.
              </EmptyState>
            </Card>
          ) : (
            <Desk models={found} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Desk({ models }: { models: { id: string; isLive: boolean }[] }) {
  const [source, setSource] = useState<Source>('file');
  const usable = source === 'file' ? models : models.filter(({ isLive }) => isLive);
  const [chosen, setChosen] = useState('');
  const model = usable.some(({ id }) => id === chosen) ? chosen : (usable[0]?.id ?? '');
  const [language, setLanguage] = useState('');
  const [diarize, setDiarize] = useState(false);
  const [transcript, setTranscript] = useState<Transcript>();
  return (
    <div className={styles.transcription}>
      <Card>
        <div className="stack">
          <div className="row">
            <Segments label="Source" options={sources} value={source} onChange={setSource} />
          </div>
          <div className="columns">
            <SelectField
              label="Model"
              options={usable.map(({ id }) => ({ value: id, label: id }))}
              value={model}
              onChange={setChosen}
            />
            <SelectField
              label="Language"
              options={[
                { value: '', label: 'Detect' },
                ...languages.map((code) => ({ value: code, label: names.of(code) ?? code })),
              ]}
              value={language}
              onChange={setLanguage}
            />
          </div>
          {source === 'file' ? (
            <>
              <CheckField
                label="Tell speakers apart"
                hint="Needs a model with diarization."
                checked={diarize}
                onChange={(event) => setDiarize(event.target.checked)}
              />
              <FromFile setup={{ model, language, diarize }} onDone={setTranscript} />
            </>
          ) : (
            <FromMicrophone model={model} language={language} onDone={setTranscript} />
          )}
        </div>
      </Card>
      {transcript && <TranscriptEditor transcript={transcript} onChange={setTranscript} />}
    </div>
  );
}
