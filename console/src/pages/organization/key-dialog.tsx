import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleKey, ConsoleNewKey, ConsoleStandardKeyCreate } from '../../../../src/console/schema/keys.ts';
import type { ModelCard } from '../../../../src/models/schema.ts';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { formatDate } from '../../ui/format.ts';
import { ScrollBox } from '../../ui/scroll-box.tsx';
import styles from './organization.module.css';
import { SecretDialog } from './secret-dialog.tsx';
import { useChange } from './use-change.ts';

type Props = {
  title: string;
  /** The organization or workspace of the key. */
  place: { label: string; name: string };
  create: (body: ConsoleStandardKeyCreate) => Promise<ConsoleNewKey>;
  example: (value: string) => string;
  /** Whether it can be limited to models, a rate and a budget. */
  limitable?: boolean;
  onClose: () => void;
};

const DAY_MS = 86_400_000;
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'never', label: 'Never' },
  { value: 'date', label: 'On a date' },
] as const;
type Lifetime = (typeof lifetimes)[number]['value'];
const toolNames = {
  web_search: 'Web search',
  code_interpreter: 'Code interpreter',
  image_generation: 'Image generation',
  document_library: 'Libraries',
  connector: 'Connectors',
} as const;
type ToolKind = keyof typeof toolNames;
const allTools = Object.keys(toolNames) as ToolKind[];
type Limits = { requests_per_second: string; tokens_per_minute: string; monthly_budget: string };
const noLimits: Limits = { requests_per_second: '', tokens_per_minute: '', monthly_budget: '' };

/** All is filled in, so that a key is two clicks away. */
export function KeyDialog({ title, place, create, example, limitable = false, onClose }: Props) {
  const [name, setName] = useState(() => `Key of ${formatDate(Date.now())}`);
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [date, setDate] = useState('');
  const [models, setModels] = useState<readonly string[]>([]);
  const [tools, setTools] = useState<readonly ToolKind[]>(allTools);
  const [limits, setLimits] = useState(noLimits);
  const make = useChange({
    quiet: true,
    run: () =>
      create({
        name: name.trim(),
        ...expiryOf(lifetime, date),
        ...(models.length > 0 && { allowed_models: [...models] }),
        ...(tools.length < allTools.length && { allowed_tools: [...tools] }),
        ...limitsOf(limits),
      }),
  });
  if (make.data) {
    return (
      <SecretDialog
        title={named(make.data)}
        value={make.data.value}
        example={example(make.data.value)}
        onClose={onClose}
      />
    );
  }
  return (
    <EntityDialog title={title} action="Create" save={make} onSave={() => make.mutate(undefined)} onClose={onClose}>
      <TextField
        label="Name"
        hint="Describe its purpose, so you know later which key to revoke."
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField label={place.label} readOnly value={place.name} />
      <SelectField label="Expires" fills="expires_at" options={lifetimes} value={lifetime} onChange={setLifetime} />
      {lifetime === 'date' && (
        <TextField
          label="Expires on"
          type="date"
          required
          min={dayAfter(1)}
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
      )}
      {limitable && (
        <>
          <ModelChoice chosen={models} onChange={setModels} />
          <ToolChoice chosen={tools} onChange={setTools} />
          <LimitFields limits={limits} onChange={(change) => setLimits({ ...limits, ...change })} />
        </>
      )}
    </EntityDialog>
  );
}

function ModelChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (names: string[]) => void }) {
  const { data = [] } = useQuery({
    queryKey: ['models'],
    queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
    select: ({ data: cards = [] }) => cards.flatMap((card) => ('alias_of' in card ? [] : card.id)),
  });
  return (
    <details>
      <summary>Models: {chosen.length === 0 ? 'all' : `${chosen.length} chosen`}</summary>
      <ScrollBox label="Models" className={styles.keyModels}>
        <fieldset className="stack-tight">
          <legend className={fieldStyles.hint}>None chosen: all, also those that are added later.</legend>
          {data.map((id) => (
            <CheckField
              key={id}
              label={id}
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
              }
            />
          ))}
        </fieldset>
      </ScrollBox>
    </details>
  );
}

function ToolChoice({ chosen, onChange }: { chosen: readonly ToolKind[]; onChange: (tools: ToolKind[]) => void }) {
  const some = chosen.length === 0 ? 'none' : `${chosen.length} of ${allTools.length}`;
  return (
    <details>
      <summary>Tools: {chosen.length === allTools.length ? 'all' : some}</summary>
      <fieldset className="stack-tight">
        <legend className={fieldStyles.hint}>What the server may run in conversations with this key.</legend>
        {allTools.map((tool) => (
          <CheckField
            key={tool}
            label={toolNames[tool]}
            checked={chosen.includes(tool)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, tool] : chosen.filter((other) => other !== tool))
            }
          />
        ))}
      </fieldset>
    </details>
  );
}

function LimitFields({ limits, onChange }: { limits: Limits; onChange: (change: Partial<Limits>) => void }) {
  const number = { type: 'number', placeholder: 'No limit' } as const;
  return (
    <details>
      <summary>Rate and budget</summary>
      <div className="stack">
        <TextField
          label="Requests per second"
          {...number}
          min={1}
          value={limits.requests_per_second}
          onChange={(event) => onChange({ requests_per_second: event.target.value })}
        />
        <TextField
          label="Tokens per minute"
          {...number}
          min={1}
          value={limits.tokens_per_minute}
          onChange={(event) => onChange({ tokens_per_minute: event.target.value })}
        />
        <TextField
          label="Monthly budget"
          {...number}
          min={0}
          step="any"
          hint="The limits of the workspace and the organization apply as well."
          value={limits.monthly_budget}
          onChange={(event) => onChange({ monthly_budget: event.target.value })}
        />
      </div>
    </details>
  );
}

function expiryOf(lifetime: Lifetime, date: string): { expires_at?: string } {
  if (lifetime === 'never') return {};
  return { expires_at: `${lifetime === 'date' ? date : dayAfter(Number(lifetime))}T23:59:59Z` };
}

function limitsOf(limits: Limits): Pick<ConsoleStandardKeyCreate, 'limits'> {
  const given = Object.entries(limits).filter(([, value]) => value !== '');
  return given.length === 0
    ? {}
    : { limits: Object.fromEntries(given.map(([limit, value]) => [limit, Number(value)])) };
}

function named(key: ConsoleKey): string {
  return key.name ? `The key “${key.name}”` : 'The new key';
}

function dayAfter(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}
