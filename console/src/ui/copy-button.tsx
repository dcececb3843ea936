import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import { useToast } from './toast.tsx';

type Props = { text: string; label?: string; small?: boolean; iconOnly?: boolean };

/** Shows "Copied" for two seconds. */
export function CopyButton({ text, label = 'Copy', small = false, iconOnly = false }: Props) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const toast = useToast();
  const copy = async () => {
    try {
      await writeClipboard(text);
    } catch {
      toast.error(new Error('The browser did not allow copying. Select the text and copy it by hand.'));
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button
      look={iconOnly ? 'quiet' : 'default'}
      small={small}
      iconOnly={iconOnly}
      icon={copied ? 'check' : 'copy'}
      onClick={copy}
    >
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** Without https or localhost there is no clipboard API, so this falls back to execCommand. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('copying was refused');
}
