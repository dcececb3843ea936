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
import { speakingModelsQuery } from './queries.ts';
import { type Format, formats, type Spoken, speak } from './speak.ts';
import { SpokenList } from './spoken-list.tsx';
import { VoicePicker } from './voice-picker.tsx';

const charactersMax = 200_000;
const kept = 10;
const formatLabels: Record<Format, string> = {
  mp3: 'MP3, plays everywhere',
  wav: 'WAV, uncompressed',
  flac: 'FLAC, lossless',
  opus: 'Opus in Ogg, small',
  pcm: 'PCM, bare float samples',
};

export function SpeechPage() {
  const models = useQuery(speakingModelsQuery);
  return (
    <Page title="Speech" lead="Hear a text in any voice, and take the sound along.">
      <Loaded query={models} lines={6}>
        {(ids) =>
          ids.length === 0 ? (
            <Card>
              <EmptyState icon="sound" title="No model speaks here">
                Fetch a speech model under Models, or name one in the configuration file.
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
  const [spoken, setSpoken] = useState<Spoken[]>([]);
  const speaking = useMutation({
    mutationFn: () => speak({ input, model, voice, format }),
    onSuccess: (sound) => {
      urls.current.push(sound.url);
      setSpoken((before) => [sound, ...before].slice(0, kept));
    },
  });
  // Sounds are kept for as long as the page is open.
  const urls = useRef<string[]>([]);
  useEffect(() => () => urls.current.forEach((url) => void URL.revokeObjectURL(url)), []);
  return (
    <div className="speech">
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
            hint={`${formatNumber(input.length)} of ${formatNumber(charactersMax)} characters. Ctrl Enter speaks it.`}
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
              options={[{ value: '', label: 'As the voice wants' }, ...models.map((id) => ({ value: id, label: id }))]}
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
          {speaking.isPending && <Progress label="Speaking" />}
          <div className="row row-end">
            <Button type="submit" look="primary" icon="sound" busy={speaking.isPending}>
              Speak
            </Button>
          </div>
        </form>
      </Card>
      <VoicePicker value={voice} onChange={setVoice} />
      <SpokenList spoken={spoken} />
    </div>
  );
}
