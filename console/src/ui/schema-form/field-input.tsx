import { Button } from '../button.tsx';
import fieldStyles from '../field.module.css';
import { SelectField } from '../field.tsx';
import { draftOf, type ListDraft, newItem, type ObjectDraft, type VariantDraft } from './drafts.ts';
import { pathOf } from './fields.ts';
import { type InputProps, Label, LeafInput } from './leaf-input.tsx';
import styles from './schema-form.module.css';

/** The input of any field. */
export function FieldInput(props: InputProps) {
  switch (props.field.kind) {
    case 'constant':
      return null;
    case 'object':
      return <ObjectInput {...(props as InputProps<'object'>)} />;
    case 'list':
      return <ListInput {...(props as InputProps<'list'>)} />;
    case 'variants':
      return <VariantsInput {...(props as InputProps<'variants'>)} />;
    default:
      return <LeafInput {...props} />;
  }
}

function ObjectInput(props: InputProps<'object'>) {
  const { field, name, path, problems, onChange } = props;
  const draft = props.draft as ObjectDraft;
  const inputs = field.properties.map((property) => (
    <FieldInput
      key={property.name}
      field={property.field}
      name={property.name}
      path={pathOf(path, property.name)}
      isRequired={property.isRequired}
      draft={draft.properties[property.name] ?? draftOf(property.field, undefined, property.isRequired)}
      problems={problems}
      onChange={(inner) => onChange({ properties: { ...draft.properties, [property.name]: inner } })}
    />
  ));
  // The root object needs no frame.
  if (name === '') return <>{inputs}</>;
  return (
    <fieldset className={styles.group}>
      <legend>
        <Label {...props} />
      </legend>
      {field.description && <p className={fieldStyles.hint}>{field.description}</p>}
      {inputs}
      {problems[path] && <p className={fieldStyles.error}>{problems[path]}</p>}
    </fieldset>
  );
}

function VariantsInput(props: InputProps<'variants'>) {
  const { field, path, problems, onChange } = props;
  const draft = props.draft as VariantDraft;
  const option = field.options[draft.picked];
  return (
    <fieldset className={styles.group}>
      <legend>
        <Label {...props} />
      </legend>
      <SelectField
        label="Kind"
        hint={field.description}
        value={String(draft.picked)}
        options={field.options.map(({ label }, at) => ({ value: String(at), label }))}
        onChange={(picked) => {
          const next = field.options[Number(picked)];
          if (next) onChange({ picked: Number(picked), draft: draftOf(next.field, undefined, true) });
        }}
      />
      {option && (
        <FieldInput
          key={draft.picked}
          field={option.field}
          name={option.field.kind === 'object' ? '' : 'value'}
          path={path}
          isRequired
          draft={draft.draft}
          problems={problems}
          onChange={(inner) => onChange({ picked: draft.picked, draft: inner })}
        />
      )}
    </fieldset>
  );
}

function ListInput(props: InputProps<'list'>) {
  const { field, path, problems, onChange } = props;
  const { items } = props.draft as ListDraft;
  const isFull = field.max !== undefined && items.length >= field.max;
  return (
    <fieldset className={styles.group}>
      <legend>
        <Label {...props} />
      </legend>
      {field.description && <p className={fieldStyles.hint}>{field.description}</p>}
      {items.map(({ id, draft: inner }, at) => (
        <div key={id} className={styles.entry}>
          <div className="grow stack-tight">
            <FieldInput
              field={field.item}
              name={`Entry ${at + 1}`}
              path={pathOf(path, at)}
              isRequired
              draft={inner}
              problems={problems}
              onChange={(changed) =>
                onChange({ items: items.map((item) => (item.id === id ? { id, draft: changed } : item)) })
              }
            />
          </div>
          <Button
            look="quiet"
            small
            icon="trash"
            iconOnly
            onClick={() => onChange({ items: items.filter((item) => item.id !== id) })}
          >
            {`Remove entry ${at + 1}`}
          </Button>
        </div>
      ))}
      {problems[path] && <p className={fieldStyles.error}>{problems[path]}</p>}
      <div>
        <Button
          small
          icon="plus"
          disabled={isFull}
          onClick={() => onChange({ items: [...items, newItem(draftOf(field.item, undefined, true))] })}
        >
          Add entry
        </Button>
      </div>
    </fieldset>
  );
}
