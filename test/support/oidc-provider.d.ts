/** The parts that the tests use: the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Interaction = {
    prompt: { name: string; details: { missingResourceScopes?: Record<string, string[]> } };
    params: { client_id: string; scope?: string };
    session?: { accountId: string };
  };
  type Grant = {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  };

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: object,
    ): Promise<void>;
    Grant: new (options: {
      accountId: string;
      clientId: string;
    }) => Grant;
    on(event: string, listener: (...given: never[]) => void): void;
  }
}
