import type { ReactNode } from 'react';
import fieldStyles from '../field.module.css';
import { CheckField, SelectField, TextAreaField, TextField } from '../field.tsx';
import type { Draft } from './drafts.ts';
import type { Field, FieldOf } from './fields.ts';
import type { Problems } from './read-draft.ts';

export type InputProps<Kind extends Field['kind'] = Field['kind']> = {
  field: FieldOf<Kind>;
  name: string;
  path: string;
  isRequired: boolean;
  draft: Draft;
  problems: Problems;
  onChange: (draft: Draft) => void;
};

const LONG_TEXT = 120;
const inputTypes: Record<string, string> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
  password: 'password',
};

/** The input of a field without nested fields. */
export function LeafInput(props: InputProps): ReactNode {
  const { field, draft, path, problems, onChange, isRequired } = props;
  const texts = {
    label: <Label {...props} />,
    hint: field.description,
    error: problems[path],
  };
  const text = draft as string;
  switch (field.kind) {
    case 'choice':
      return (
        <SelectField
          {...texts}
          value={text}
          onChange={onChange}
          options={[
            {
              value: '',
              label: isRequired && !field.isNullable ? 'Choose' : 'None',
              disabled: isRequired && !field.isNullable,
            },
            ...field.options.map((option, at) => ({ value: String(at), label: option.label })),
          ]}
        />
      );
    case 'boolean':
      return isRequired && !field.isNullable ? (
        <CheckField
          label={texts.label}
          hint={texts.hint}
          checked={text === 'true'}
          onChange={(event) => onChange(String(event.target.checked))}
        />
      ) : (
        <SelectField
          {...texts}
          value={text}
          onChange={onChange}
          options={[
            { value: '', label: 'Not set' },
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      );
    case 'number':
      return (
        <TextField
          {...texts}
          inputMode={field.isInteger ? 'numeric' : 'decimal'}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text':
      return isLong(field, text) ? (
        <TextAreaField {...texts} rows={4} value={text} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <TextField
          {...texts}
          type={inputTypes[field.format ?? ''] ?? 'text'}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'json':
      return (
        <TextAreaField
          {...texts}
          hint={texts.hint ?? 'JSON.'}
          code
          rows={4}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    default:
      return null;
  }
}

/** Text that is or may be long gets a text area. */
function isLong({ format, maxLength }: FieldOf<'text'>, text: string): boolean {
  if (format !== undefined) return format === 'multiline';
  return (maxLength !== undefined && maxLength > LONG_TEXT) || text.length > LONG_TEXT || text.includes('\n');
}

export function Label({ field, name, isRequired }: Pick<InputProps, 'field' | 'name' | 'isRequired'>) {
  return (
    <>
      {field.title ?? humanName(name)}
      {!isRequired && <span className={fieldStyles.optional}> optional</span>}
    </>
  );
}

/** `order_id` and `orderId` as words. */
function humanName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? 'Value' : words.charAt(0).toUpperCase() + words.slice(1);
}
