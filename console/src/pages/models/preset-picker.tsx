import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import fieldStyles from '../../ui/field.module.css';
import { Loaded } from '../../ui/loaded.tsx';
import styles from './models.module.css';
import { type Preset, presetsQuery } from './queries.ts';

/** Kinds of servers as cards; choosing one fills in its usual address. */
export function PresetPicker({ chosen, onChoose }: { chosen: string; onChoose: (preset: Preset) => void }) {
  const query = useQuery(presetsQuery);
  const name = useId();
  return (
    <fieldset>
      <legend className={fieldStyles.label}>Where does the model run?</legend>
      <Loaded query={query} lines={2}>
        {(presets) => (
          <div className={styles.presets}>
            {presets.map((preset) => (
              <label key={preset.id} className={styles.preset}>
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
