import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, Field, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { ModelDraft, TargetDraft } from './model-draft.ts';
import type { ConnectionReport, OfferedModel } from './queries.ts';

type Props = {
  draft: ModelDraft;
  /** The stored model, whose key is used where none was typed. */
  modelId: string | undefined;
  onChange: (change: Partial<ModelDraft>) => void;
  onPick: (offer: OfferedModel | undefined, name: string) => void;
};

/** Where the model is: the address and key of its server, a test, and its name there. */
export function ServerFields({ draft, modelId, onChange, onPick }: Props) {
  const [target] = draft.targets;
  const test = useMutation({
    mutationFn: () =>
      api.post<ConnectionReport>('/v1/admin/model-servers/test', {
        url: target?.url.trim(),
        private_network: draft.privateNetwork,
        ...(target?.apiKey.trim() ? { api_key: target.apiKey.trim() } : modelId ? { model_id: modelId } : {}),
      }),
  });
  const listId = useId();
  if (!target) return null;
  const setTarget = (change: Partial<TargetDraft>) => {
    onChange({ targets: [{ ...target, ...change }, ...draft.targets.slice(1)] });
    if ('upstreamModel' in change) return;
    test.reset();
  };
  const offers = test.data?.models ?? [];
  return (
    <>
      <TextField
        label="Address"
        fills="url"
        placeholder="https://models.example.com/v1"
        value={target.url}
        required
        onChange={(event) => setTarget({ url: event.target.value })}
      />
      <TextField
        label="API key"
        fills="api_key"
        type="password"
        autoComplete="off"
        placeholder={target.hasKey ? 'Stored; type to replace it' : 'None'}
        hint="Stored encrypted, and never shown again."
        value={target.apiKey}
        onChange={(event) => setTarget({ apiKey: event.target.value })}
      />
      <CheckField
        label="The server is on this machine or in a private network"
        checked={draft.privateNetwork}
        onChange={(event) => {
          onChange({ privateNetwork: event.target.checked });
          test.reset();
        }}
      />
      <div className="row">
        <Button icon="pulse" busy={test.isPending} disabled={target.url.trim() === ''} onClick={() => test.mutate()}>
          Test connection
        </Button>
      </div>
      <div role="status">
        {test.data && (
          <Notice tone={test.data.ok ? 'success' : 'danger'}>
            {test.data.message}
            {test.data.latency_ms !== null && <span className="small"> {test.data.latency_ms} ms</span>}
          </Notice>
        )}
      </div>
      <ErrorNotice error={test.error} />
      <Field
        label="Model on that server"
        fills="upstream_model"
        hint={offers.length > 0 ? 'Choose one of its list, or type its name.' : 'Test the connection for its list.'}
      >
        {(control) => (
          <>
            <input
              {...control}
              className={fieldStyles.input}
              list={listId}
              autoComplete="off"
              placeholder="its name there"
              value={target.upstreamModel}
              onChange={({ target: { value } }) =>
                onPick(
                  offers.find(({ id }) => id === value),
                  value,
                )
              }
            />
            <datalist id={listId}>
              {offers.map(({ id }) => (
                <option key={id} value={id} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </>
  );
}
