import type { ComponentProps } from 'react';

/** A scrollable box must be reachable by keyboard, so it is focusable and named. */
export function ScrollBox({ label, ...rest }: { label: string } & ComponentProps<'div'>) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form part.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll the focused box.
  return <div {...rest} role="group" aria-label={label} tabIndex={0} />;
}
