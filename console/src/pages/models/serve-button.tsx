import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type CatalogueModel, type ManagedModel, managedPath, modelsKey } from './queries.ts';

/** What runs weights of a purpose; others serve the models that come with the program. */
const engines: Record<string, object> = {
  chat: { engine: 'llama', kind: 'chat' },
  code: { engine: 'llama', kind: 'code' },
  embeddings: { engine: 'onnx', kind: 'embeddings' },
};

/** Serves installed weights under their own name. */
export function ServeButton({ model: { id, purpose } }: { model: CatalogueModel }) {
  const client = useQueryClient();
  const toast = useToast();
  const serve = useMutation({
    mutationFn: () => api.post<ManagedModel>(managedPath, { ...engines[purpose], id, weights: id }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: modelsKey });
      toast.success(`${id} is served.`);
    },
    onError: toast.error,
  });
  if (!engines[purpose]) return null;
  return (
    <div className="row">
      <Button small icon="play" busy={serve.isPending} onClick={() => serve.mutate()}>
        {`Serve ${id}`}
      </Button>
    </div>
  );
}
