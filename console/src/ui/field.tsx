import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { useFieldError } from './form-errors.tsx';
import { Icon } from './icon.tsx';

export type FieldTexts = {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  hideLabel?: boolean;
  /** What it fills in of the request, where its label does not tell; several with spaces between. */
  fills?: string | undefined;
};
type ControlProps = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

/** Connects label, control, hint and error for screen readers. */
export function Field({
  label,
  hint,
  error: given,
  hideLabel,
  fills,
  children,
}: FieldTexts & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const refused = useFieldError(id, label, fills ? fills.split(' ') : []);
  const error = given ?? refused;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(error ? { 'aria-invalid': true as const } : {}),
      })}
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {error && (
        // What a server refused comes later, so it is announced.
        <div id={`${id}-error`} className={styles.error} {...(given ? {} : { role: 'alert' })}>
          <Icon name="warning" size={15} />
          {error}
        </div>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  fills,
  className,
  ...rest
}: FieldTexts & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} fills={fills}>
      {(control) => <input {...rest} {...control} className={`${styles.input} ${className ?? ''}`} />}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  hideLabel,
  fills,
  code,
  className,
  ...rest
}: FieldTexts & ComponentProps<'textarea'> & { code?: boolean }) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} fills={fills}>
      {(control) => (
        <textarea
          {...rest}
          {...control}
          {...(code ? { spellCheck: false } : {})}
          className={`${styles.input} ${code ? styles.code : ''} ${className ?? ''}`}
        />
      )}
    </Field>
  );
}

/** Choices of a group stand together under its name, after those without one. */
export type Choice<V extends string = string> = { value: V; label: string; disabled?: boolean; group?: string };

export function SelectField<V extends string>({
  label,
  hint,
  error,
  hideLabel,
  fills,
  options,
  value,
  onChange,
  className,
  ...rest
}: FieldTexts &
  Omit<ComponentProps<'select'>, 'onChange' | 'value'> & {
    options: readonly Choice<V>[];
    value: V;
    onChange: (value: V) => void;
  }) {
  const groups = [...new Set(options.flatMap(({ group }) => group ?? []))];
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false} fills={fills}>
      {(control) => (
        <select
          {...rest}
          {...control}
          className={`${styles.input} ${className ?? ''}`}
          value={value}
          onChange={(event) => onChange(event.target.value as V)}
        >
          <Options options={options.filter(({ group }) => group === undefined)} />
          {groups.map((name) => (
            <optgroup key={name} label={name}>
              <Options options={options.filter(({ group }) => group === name)} />
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  );
}

function Options({ options }: { options: readonly Choice[] }) {
  return options.map((option) => (
    <option key={option.value} value={option.value} disabled={option.disabled}>
      {option.label}
    </option>
  ));
}

export function CheckField({
  label,
  hint,
  ...rest
}: Omit<FieldTexts, 'error' | 'fills'> & Omit<ComponentProps<'input'>, 'type'>) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input {...rest} id={id} type="checkbox" aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className={styles.hint}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

export function SearchField({ label, ...rest }: { label: string } & ComponentProps<'input'>) {
  return (
    <div className={styles.search}>
      <Icon name="search" size={16} />
      <input placeholder={label} {...rest} type="search" aria-label={label} className={styles.input} />
    </div>
  );
}
