import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CommonFields } from './common-fields.tsx';
import { FallbackFields } from './fallback-fields.tsx';
import {
  type Capability,
  capabilities,
  draftOf,
  emptyDraft,
  emptyTarget,
  kinds,
  type ModelDraft,
  settingsOf,
  suggestId,
} from './model-draft.ts';
import styles from './models.module.css';
import { PresetPicker } from './preset-picker.tsx';
import {
  type ManagedModel,
  managedModelPath,
  managedPath,
  modelsKey,
  type OfferedModel,
  type Preset,
} from './queries.ts';
import { ServerFields } from './server-fields.tsx';

type Props = { model?: ManagedModel; currency: string; onClose: () => void; onSaved?: (id: string) => void };

/** Adds a model of another server, or changes one. */
export function ModelDialog({ model, currency, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState<ModelDraft>(() => (model ? draftOf(model) : emptyDraft));
  const client = useQueryClient();
  const toast = useToast();
  const change = (more: Partial<ModelDraft>) => setDraft((before) => ({ ...before, ...more }));
  const save = useMutation({
    mutationFn: () =>
      model
        ? api.put<ManagedModel>(managedModelPath(model.id), settingsOf(draft))
        : api.post<ManagedModel>(managedPath, settingsOf(draft)),
    async onSuccess(saved) {
      await client.invalidateQueries({ queryKey: modelsKey });
      toast.success(model ? `${saved.id} is changed.` : `${saved.id} is served.`);
      onClose();
      onSaved?.(saved.id);
    },
  });
  const choosePreset = ({ id, url, private_network }: Preset) =>
    change({
      preset: id,
      privateNetwork: private_network,
      targets: [{ ...emptyTarget, url }, ...draft.targets.slice(1)],
    });
  const pick = (offer: OfferedModel | undefined, upstreamModel: string) => {
    const [first = emptyTarget, ...rest] = draft.targets;
    // An id that was typed stays; one that came from the list follows it.
    const follows = !model && (draft.id === '' || draft.id === suggestId(first.upstreamModel));
    change({
      targets: [{ ...first, upstreamModel }, ...rest],
      ...(follows && { id: suggestId(upstreamModel) }),
      ...(offer?.max_context_length && { context: String(offer.max_context_length) }),
      ...(offer?.price && {
        pricePrompt: String(offer.price.prompt),
        priceCompletion: String(offer.price.completion),
      }),
    });
  };
  const hasServer = model !== undefined || draft.preset !== '';
  return (
    <EntityDialog
      wide
      title={model ? `Change ${model.id}` : 'Add a model'}
      action={model ? 'Save' : 'Add model'}
      save={save}
      isIncomplete={draft.id.trim() === '' || !draft.targets[0]?.url.trim()}
      onSave={() => save.mutate()}
      onClose={onClose}
    >
      {!model && <PresetPicker chosen={draft.preset} onChoose={choosePreset} />}
      {hasServer && (
        <>
          <ServerFields draft={draft} modelId={model?.id} onChange={change} onPick={pick} />
          <TextField
            label="Name here"
            fills="id"
            hint="Clients send it as the model. Prompts and agents refer to it."
            required
            value={draft.id}
            onChange={(event) => change({ id: event.target.value })}
          />
          <Details draft={draft} currency={currency} isOpen={model !== undefined} onChange={change} />
        </>
      )}
    </EntityDialog>
  );
}

function Details({
  draft,
  currency,
  isOpen,
  onChange,
}: {
  draft: ModelDraft;
  currency: string;
  isOpen: boolean;
  onChange: (change: Partial<ModelDraft>) => void;
}) {
  const isChat = draft.kind === 'chat' || draft.kind === 'code';
  const amount = { type: 'number', min: 0, step: 'any' } as const;
  return (
    <>
      <SelectField
        label="What it does"
        fills="kind"
        options={kinds}
        value={draft.kind}
        onChange={(kind) => onChange({ kind })}
      />
      {isChat && (
        <fieldset>
          <legend className={fieldStyles.label}>Abilities</legend>
          <div className={styles.checks}>
            {(Object.keys(capabilities) as Capability[]).map((name) => (
              <CheckField
                key={name}
                label={capabilities[name]}
                checked={draft.capabilities[name]}
                onChange={({ target }) => onChange({ capabilities: { ...draft.capabilities, [name]: target.checked } })}
              />
            ))}
          </div>
        </fieldset>
      )}
      <details className={styles.more} open={isOpen}>
        <summary>Aliases, context, prices, limits and fallbacks</summary>
        <div className="stack">
          <CommonFields draft={draft} currency={currency} onChange={onChange} />
          <div className={styles.fieldRow}>
            <TextField
              label="Context (tokens)"
              fills="max_context_length"
              {...amount}
              step={1}
              placeholder="32768"
              value={draft.context}
              onChange={(event) => onChange({ context: event.target.value })}
            />
            <TextField
              label="Timeout (seconds)"
              fills="timeout_seconds"
              {...amount}
              placeholder="300"
              value={draft.timeout}
              onChange={(event) => onChange({ timeout: event.target.value })}
            />
          </div>
          <FallbackFields
            fallbacks={draft.targets.slice(1)}
            onChange={(fallbacks) => onChange({ targets: [...draft.targets.slice(0, 1), ...fallbacks] })}
          />
        </div>
      </details>
    </>
  );
}
