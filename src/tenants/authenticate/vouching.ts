export type VouchedSession = { id: string; provider: string };

/** Asks the provider of a session again where its last answer is too old. */
export type Voucher = {
  /** Undefined where the answer is young enough. Never rejects: a provider that is silent holds nobody up for long. */
  confirm(session: VouchedSession): Promise<void> | undefined;
  /** The session has open work now, which makes no requests: it is asked about without one. */
  follow(session: VouchedSession): void;
  /** The organization in which its sessions act, and nowhere else. Undefined where it has none: they act nowhere. */
  organizationOf(provider: string): Promise<string | undefined>;
};

/** The room that knows providers is opened after the one that authenticates. */
export type Vouching = Voucher & { use(voucher: Voucher): void };

export function createVouching(): Vouching {
  let used: Voucher | undefined;
  return {
    confirm: (session) => used?.confirm(session),
    follow: (session) => used?.follow(session),
    organizationOf: async (provider) => used?.organizationOf(provider),
    use(voucher) {
      used = voucher;
    },
  };
}
