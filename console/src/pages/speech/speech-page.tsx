import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SelectField, TextAreaField } from '../../ui/field.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Progress } from '../../ui/progress.tsx';
import { type Format, formats, generateSpeech, type Recording } from './generate-speech.ts';
import { speakingModelsQuery } from './queries.ts';
import { Recordings } from './recordings.tsx';
import styles from './speech.module.css';
import { VoicePicker } from './voice-picker.tsx';

const charactersMax = 200_000;
const kept = 10;
const formatLabels: Record<Format, string> = {
  mp3: 'MP3, plays everywhere',
  wav: 'WAV, uncompressed',
  flac: 'FLAC, lossless',
  opus: 'Opus in Ogg, small',
  pcm: 'PCM, raw float samples',
};

export function SpeechPage() {
  const models = useQuery(speakingModelsQuery);
  return (
    <Page title="Speech" lead="Convert text to speech in any voice and download the audio.">
      <Loaded query={models} lines={6}>
        {(ids) =>
          ids.length === 0 ? (
            <Card>
              <EmptyState icon="sound" title="No speech model">
                Download a speech model under Models, or add one to the configuration file.
              </EmptyState>
            </Card>
          ) : (
            <Studio models={ids} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Studio({ models }: { models: string[] }) {
  const [input, setInput] = useState('Good morning. The wind comes from the north today, cold and clear.');
  const [model, setModel] = useState('');
  const [voice, setVoice] = useState('');
  const [format, setFormat] = useState<Format>('mp3');
  const [recordings, setRecordings] = useState<Recording[]>([]);
  const speaking = useMutation({
    mutationFn: () => generateSpeech({ input, model, voice, format }),
    onSuccess: (sound) => {
      urls.current.push(sound.url);
      setRecordings((before) => [sound, ...before].slice(0, kept));
    },
  });
  // Recordings are kept while the page is open.
  const urls = useRef<string[]>([]);
  useEffect(() => () => urls.current.forEach((url) => void URL.revokeObjectURL(url)), []);
  return (
    <div className={styles.speech}>
      <Card>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            speaking.mutate();
          }}
        >
          <TextAreaField
            label="Text"
            hint={`${formatNumber(input.length)} of ${formatNumber(charactersMax)} characters. Ctrl+Enter generates.`}
            rows={6}
            required
            maxLength={charactersMax}
            value={input}
            onChange={(event) => setInput(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className="columns">
            <SelectField
              label="Model"
              options={[
                { value: '', label: 'Default for the voice' },
                ...models.map((id) => ({ value: id, label: id })),
              ]}
              value={model}
              onChange={setModel}
            />
            <SelectField
              label="Format"
              options={formats.map((value) => ({ value, label: formatLabels[value] }))}
              value={format}
              onChange={setFormat}
            />
          </div>
          <ErrorNotice error={speaking.error} />
          {speaking.isPending && <Progress label="Generating" />}
          <div className="row row-end">
            <Button type="submit" look="primary" icon="sound" busy={speaking.isPending}>
              Generate
            </Button>
          </div>
        </form>
      </Card>
      <VoicePicker value={voice} onChange={setVoice} />
      <Recordings recordings={recordings} />
    </div>
  );
}
