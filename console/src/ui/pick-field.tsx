import { type Choice, type FieldTexts, SelectField } from './field.tsx';

type Props = FieldTexts & {
  /** Undefined while they are loading. */
  choices: readonly Choice[] | undefined;
  /** Shown while nothing is chosen. */
  unchosen: string;
  value: string;
  onChange: (value: string) => void;
};

/** Chooses one of the objects that exist. A value that is no longer among them stays, and says so. */
export function PickField({ choices, unchosen, value, ...rest }: Props) {
  const isKnown = value === '' || choices === undefined || choices.some((choice) => choice.value === value);
  const isListed = value === '' || (choices ?? []).some((choice) => choice.value === value);
  return (
    <SelectField
      {...rest}
      value={value}
      options={[
        { value: '', label: choices ? unchosen : 'Loading…' },
        ...(isListed ? [] : [{ value, label: isKnown ? value : `${value} (not found)` }]),
        ...(choices ?? []),
      ]}
    />
  );
}
