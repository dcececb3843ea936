import { Badge } from '../../ui/badge.tsx';
import type { ServedModel } from './queries.ts';

export function Abilities({ model: { capabilities } }: { model: Pick<ServedModel, 'capabilities'> }) {
  const able = Object.entries(capabilities).filter(([, yes]) => yes);
  return (
    <div className="row">
      {able.map(([name]) => (
        <Badge key={name}>{name.replace(/^completion_/, '').replaceAll('_', ' ')}</Badge>
      ))}
    </div>
  );
}
