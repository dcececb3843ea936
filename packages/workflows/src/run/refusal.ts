import { NonRetryable } from '../errors.ts';

/** Client errors are not retried. */
export async function refusal(response: Response): Promise<Error> {
  const words = `The platform answered ${response.status}: ${(await response.text()).slice(0, 1000)}`;
  const mayPass =
    response.status === 408 || response.status === 409 || response.status === 429 || response.status >= 500;
  return mayPass ? new Error(words) : new NonRetryable(words);
}
