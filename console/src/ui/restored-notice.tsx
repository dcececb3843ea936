import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/** Says that earlier input is back, and offers to start anew. */
export function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  return (
    <Notice>
      <span className="row">
        <span className="grow">Your unsaved changes are back.</span>
        <Button small onClick={onDiscard}>
          Discard changes
        </Button>
      </span>
    </Notice>
  );
}
