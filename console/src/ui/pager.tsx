import { Button } from './button.tsx';
import cardStyles from './card.module.css';
import { formatNumber } from './format.ts';

type Props = {
  /** Counts from 1. */
  page: number;
  onPage: (page: number) => void;
  pageSize: number;
  /** If the API counts; else use `hasNext`. */
  total?: number | undefined;
  hasNext?: boolean;
};

/** Rendered only if there is more than one page. */
export function Pager({ page, onPage, pageSize, total, hasNext }: Props) {
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / pageSize));
  const more = last === undefined ? hasNext === true : page < last;
  if (page === 1 && !more) return null;
  return (
    <nav className={cardStyles.foot} aria-label="Pages">
      <span className="small muted numbers">
        Page {formatNumber(page)}
        {last !== undefined && ` of ${formatNumber(last)}`}
        {total !== undefined && ` · ${formatNumber(total)} total`}
      </span>
      <div className="row">
        <Button small disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button small disabled={!more} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </div>
    </nav>
  );
}
