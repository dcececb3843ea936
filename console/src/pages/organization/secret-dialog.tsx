import { CodeBlock } from '../../ui/code-block.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';

type Props = { title: string; value: string; example: string; onClose: () => void };

/** Shows a new key's value, with a first request that uses it. */
export function SecretDialog({ title, value, example, onClose }: Props) {
  const notice = 'Copy the key now: it is shown once, and the server keeps only its hash.';
  return (
    <ShownOnce title={title} secret={value} notice={notice} copyLabel="Copy key" onClose={onClose}>
      <CodeBlock wrap title="Try it" code={example} />
    </ShownOnce>
  );
}
