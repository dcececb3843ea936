import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { VoiceResponse } from '../../../../src/speech/schema/voices.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Segments } from '../../ui/segments.tsx';
import { voicesOnPage, voicesQuery } from './queries.ts';

const kinds = [
  { value: 'all', label: 'All' },
  { value: 'preset', label: 'Built in' },
  { value: 'custom', label: 'Yours' },
] as const;

export function VoicePicker({ value, onChange }: { value: string; onChange: (voice: string) => void }) {
  const [page, setPage] = useState(1);
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('all');
  const query = useQuery(voicesQuery(page, kind));
  const choose = (next: typeof kind) => {
    setKind(next);
    setPage(1);
  };
  return (
    <Card title="Voice" flush actions={<Segments label="Voices" options={kinds} value={kind} onChange={choose} />}>
      <Loaded query={query} padded>
        {({ items }) => (
          <fieldset className="voices">
            <legend className="visually-hidden">Voice</legend>
            {page === 1 && kind !== 'custom' && (
              <Choice id="" name="The model’s own" note="" chosen={value === ''} onChoose={onChange} />
            )}
            {items.map((voice) => (
              <Choice
                key={voice.id}
                id={voice.id}
                name={voice.name}
                note={describe(voice)}
                custom={voice.type === 'custom'}
                chosen={value === voice.id}
                onChoose={onChange}
              />
            ))}
            {items.length === 0 && (
              <p className="muted voices-empty">No voice of yours yet: POST /v1/audio/voices makes one.</p>
            )}
          </fieldset>
        )}
      </Loaded>
      <Pager page={page} onPage={setPage} pageSize={voicesOnPage} total={query.data?.total} />
    </Card>
  );
}

type ChoiceProps = {
  id: string;
  name: string;
  note: string;
  custom?: boolean;
  chosen: boolean;
  onChoose: (id: string) => void;
};

function Choice({ id, name, note, custom = false, chosen, onChoose }: ChoiceProps) {
  return (
    <label className="voice">
      <input type="radio" name="voice" value={id} checked={chosen} onChange={() => onChoose(id)} />
      <span className="grow">
        <span className="voice-name">{name}</span>
        {note && <span className="small muted"> {note}</span>}
      </span>
      {custom && <Badge tone="violet">Yours</Badge>}
    </label>
  );
}

function describe({ gender, languages }: VoiceResponse): string {
  return [gender, languages.join(', ')].filter(Boolean).join(', ');
}
