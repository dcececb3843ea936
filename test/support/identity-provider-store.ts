type Payload = Record<string, unknown> & { uid?: string; grantId?: string };

const kept = new Map<string, Payload>();

/** What the provider of the tests remembers, also when it is opened again with other keys. */
export class IdentityProviderStore {
  private readonly model: string;

  constructor(model: string) {
    this.model = model;
  }

  async upsert(id: string, payload: Payload): Promise<void> {
    kept.set(`${this.model}:${id}`, payload);
  }

  async find(id: string): Promise<Payload | undefined> {
    return kept.get(`${this.model}:${id}`);
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return [...kept].find(([key, payload]) => key.startsWith(`${this.model}:`) && payload.uid === uid)?.[1];
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const payload = await this.find(id);
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    kept.delete(`${this.model}:${id}`);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
  }
}
