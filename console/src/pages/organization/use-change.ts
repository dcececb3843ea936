import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../ui/toast.tsx';

/** A change in the organization: afterwards its lists are read anew, and a message says what was done or why not. */
export function useChange<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  done?: (output: Output, input: Input) => string | undefined;
  after?: (output: Output, input: Input) => void;
  /** A form shows what went wrong itself. */
  quiet?: boolean;
}) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: options.run,
    onSuccess: async (output, input) => {
      await client.invalidateQueries({ queryKey: ['organization'] });
      const text = options.done?.(output, input);
      if (text) toast.success(text);
      options.after?.(output, input);
    },
    onError: (error) => {
      if (!options.quiet) toast.error(error);
    },
  });
}
