import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { VoiceResponse } from '../../../../src/speech/schema/voices.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Pager } from '../../ui/pager.tsx';
import { voicesQuery } from './queries.ts';
import styles from './speech.module.css';

const pageSize = 12;
const languages = new Intl.DisplayNames(undefined, { type: 'language', fallback: 'code' });

export function VoicePicker({ value, onChange }: { value: string; onChange: (voice: string) => void }) {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const query = useQuery(voicesQuery);
  const wanted = text.trim().toLowerCase();
  return (
    <Card
      title="Voice"
      flush
      actions={
        <SearchField
          label="Name or language"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPage(1);
          }}
        />
      }
    >
      <Loaded query={query} padded lines={8}>
        {(voices) => {
          const found = voices.filter((voice) => `${voice.name} ${describe(voice)}`.toLowerCase().includes(wanted));
          return (
            <>
              <fieldset>
                <legend className="visually-hidden">Voice</legend>
                {page === 1 && wanted === '' && (
                  <Choice id="" name="Model default" note="" chosen={value === ''} onChoose={onChange} />
                )}
                {found.slice((page - 1) * pageSize, page * pageSize).map((voice) => (
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
                {found.length === 0 && wanted !== '' && (
                  <p className={`muted ${styles.voicesEmpty}`}>No matching voice.</p>
                )}
              </fieldset>
              <Pager page={page} onPage={setPage} pageSize={pageSize} total={found.length} />
            </>
          );
        }}
      </Loaded>
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
    <label className={styles.voice}>
      <input type="radio" name="voice" value={id} checked={chosen} onChange={() => onChoose(id)} />
      <span className="grow">
        <span className={styles.voiceName}>{name}</span>
        {note && <span className="small muted"> {note}</span>}
      </span>
      {custom && <Badge tone="violet">Custom</Badge>}
    </label>
  );
}

function describe({ gender, languages: codes }: VoiceResponse): string {
  return [gender, ...codes.map(nameLanguage)].filter(Boolean).join(', ');
}

/** Custom voices may name a language in any way. */
function nameLanguage(code: string): string {
  try {
    return languages.of(code.replaceAll('_', '-')) ?? code;
  } catch {
    return code;
  }
}
