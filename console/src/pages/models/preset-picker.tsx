import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Loaded } from '../../ui/loaded.tsx';
import { type Preset, presetsQuery } from './queries.ts';

/** Kinds of servers as cards; choosing one fills in its usual address. */
export function PresetPicker({ chosen, onChoose }: { chosen: string; onChoose: (preset: Preset) => void }) {
  const query = useQuery(presetsQuery);
  const name = useId();
  return (
    <fieldset>
      <legend className="field-label">Where does the model run?</legend>
      <Loaded query={query} lines={2}>
        {(presets) => (
          <div className="presets">
            {presets.map((preset) => (
              <label key={preset.id} className="preset">
                <input type="radio" name={name} checked={chosen === preset.id} onChange={() => onChoose(preset)} />
                <span>
                  <strong>{preset.name}</strong>
                  <span className="small muted">{preset.hint}</span>
                </span>
              </label>
            ))}
          </div>
        )}
      </Loaded>
    </fieldset>
  );
}
