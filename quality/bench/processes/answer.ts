type Handlers = Record<string, (params: never) => unknown>;
type Question = { id: number; method: string; params: unknown };

/** Answers the calls of the parent process, and exits with it. */
export function answer(handlers: Handlers): void {
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ id, method, params }: Question) => {
    try {
      const result = await handlers[method]?.(params as never);
      process.send?.({ id, result });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
