import { useMemo, useState } from 'react';
import { renderSVG } from 'uqr';
import { api } from '../../api/api.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import shownOnceStyles from '../../ui/shown-once.module.css';
import styles from './account.module.css';
import { useAccountChange } from './queries.ts';

type Props = { secret: string; address: string; onClose: () => void; onDone: (codes: string[]) => void };

export function SetUpDialog({ secret, address, onClose, onDone }: Props) {
  const [code, setCode] = useState('');
  const picture = useMemo(() => `data:image/svg+xml,${encodeURIComponent(renderSVG(address))}`, [address]);
  const confirm = useAccountChange({
    run: () =>
      api.post<{ recovery_codes: string[] }>('/console/api/account/second-factor/confirm', { code: code.trim() }),
    after: ({ recovery_codes }) => onDone(recovery_codes),
  });
  return (
    <EntityDialog
      title="Scan with your app"
      action="Turn on"
      save={confirm}
      onSave={() => confirm.mutate(undefined)}
      onClose={onClose}
    >
      <p>Scan the picture with an authenticator app, or type the secret into it.</p>
      <img className={styles.qr} src={picture} alt="QR code of the secret below" />
      <div className={shownOnceStyles.secret}>
        <code className="breakable grow" data-testid="secret">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy secret" />
      </div>
      <TextField
        label="Code of the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </EntityDialog>
  );
}
