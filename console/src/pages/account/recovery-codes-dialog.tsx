import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './account.module.css';

/** Shown once: the server keeps only hashes. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      title="Recovery codes"
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          I have stored them
        </Button>
      }
    >
      <Notice tone="warning">
        Store these codes in a safe place: they are shown once. Each signs you in once if you lose your device.
      </Notice>
      <ul className={styles.codes} data-testid="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} label="Copy codes" />
    </Dialog>
  );
}
