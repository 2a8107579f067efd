/** What the service that phones ask for passes needs of the rest of the process. */
import type { MemberPage } from "./member-page.ts";

/** What a pass for Apple Wallet is made of. */
export interface PassParts {
  readonly pass_type: string;
  readonly team: string;
  readonly serial: string;
  /** With it, phones ask for the pass. */
  readonly token: string;
  readonly businessId: number;
  readonly business: Pick<MemberPage["business"], "name" | "color">;
  /** What the pass shows; undefined: it is void, because its member or the address of its page is gone. */
  readonly page: MemberPage | undefined;
  /** Makes the signature of the list of files. */
  readonly sign: (manifest: Buffer) => Promise<Buffer>;
}

/** A pass as a phone names it. */
export interface NamedPass {
  readonly businessId: number;
  readonly passType: string;
  readonly serial: string;
}

/** A pass that a phone has proved to have. */
export interface AuthorizedPass extends NamedPass {
  /** When it changed, and when it was asked for, in whole seconds since the epoch. */
  readonly changed: number;
  readonly asked: number;
  /** @returns undefined when passes can't be signed any more */
  read(): Promise<PassParts | undefined>;
  /** @returns whether the phone was not registered before */
  register(device: string, pushToken: string): Promise<boolean>;
  unregister(device: string): Promise<unknown>;
}

export interface WalletPasses {
  /** Makes the pass of the member of a page. @returns undefined when there is no such page, or no pass */
  readonly ofPage: (pageToken: string) => Promise<PassParts | undefined>;
  /** Whether a business has passes; "moving": it accepts nothing for a moment, because it moves to another database. */
  readonly accepts: (businessId: number) => Promise<boolean | "moving">;
  /** @returns undefined when the token is not that of the pass */
  readonly authorize: (pass: NamedPass, token: string) => Promise<AuthorizedPass | undefined>;
  /** The passes on a phone that changed after a tag of an earlier answer. */
  readonly changedSince: (
    of: Pick<NamedPass, "businessId" | "passType">,
    device: string,
    since: string | undefined,
  ) => Promise<{ readonly serials: readonly string[]; readonly tag: string }>;
}
