import { useId } from 'react';
import styles from './segments.module.css';

type Props<V extends string> = {
  label: string;
  options: readonly { value: V; label: string }[];
  value: V;
  onChange: (value: V) => void;
  /** As wide as what it stands in, with segments of the same width. */
  full?: boolean;
};

/** Radio buttons styled as segments, with their arrow key navigation. */
export function Segments<V extends string>({ label, options, value, onChange, full = false }: Props<V>) {
  const name = useId();
  return (
    <fieldset className={`${styles.segments} ${full ? styles.full : ''}`}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
