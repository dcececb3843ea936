import type { ComponentProps } from 'react';

/** What scrolls by itself must be reachable without a mouse: it takes the focus, has a name, and is no landmark. */
export function ScrollBox({ label, ...rest }: { label: string } & ComponentProps<'div'>) {
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll what has the focus.
  return <div {...rest} role="group" aria-label={label} tabIndex={0} />;
}
