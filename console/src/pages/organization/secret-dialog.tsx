import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';

type Props = { title: string; value: string; example: string; onClose: () => void };

/** Shows a new key's value, which cannot be read again after closing. */
export function SecretDialog({ title, value, example, onClose }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <Notice tone="warning">Copy the key now: it is shown once, and the server keeps only its hash.</Notice>
      <div className="secret">
        <code className="breakable grow" data-testid="secret">
          {value}
        </code>
        <CopyButton text={value} label="Copy key" />
      </div>
      <CodeBlock wrap title="Try it" code={example} />
    </Dialog>
  );
}
