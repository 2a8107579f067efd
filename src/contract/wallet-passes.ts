/** What the service that phones ask for passes needs of the rest of the process. */
import type { MemberPage } from "./member-page.ts";

/** What passes of all kinds show. */
export interface ShownPass {
  readonly business: Pick<MemberPage["business"], "name" | "color">;
  /** undefined: the pass is void, because its member or the address of its page is gone. */
  readonly page: MemberPage | undefined;
}

/** What a pass for Apple Wallet is made of. */
export interface PassParts extends ShownPass {
  readonly pass_type: string;
  readonly team: string;
  readonly serial: string;
  /** With it, phones ask for the pass. */
  readonly token: string;
  readonly businessId: number;
  /** A PNG; undefined: the business has none. */
  readonly logo: Buffer | undefined;
  /** Names what signs, which a renewal changes. */
  readonly signer: string;
  /** Makes the signature of the list of files. */
  readonly sign: (manifest: Buffer) => Promise<Buffer>;
}

/** A pass for Google Wallet that a person wants to add. */
export interface GooglePassParts extends ShownPass {
  readonly classId: string;
  /** Makes the address at which the person adds it. */
  readonly sign: (loyaltyObject: object) => Promise<string>;
}

/** A pass as a phone names it. */
export interface NamedPass {
  readonly businessId: number;
  readonly passType: string;
  readonly serial: string;
}

/** A pass that a phone has proved to have. */
export interface AuthorizedPass extends NamedPass {
  /** @returns undefined when passes can't be signed any more */
  read(): Promise<PassParts | undefined>;
  /** @returns whether the phone was not registered before; undefined while the business moves to another database */
  register(device: string, pushToken: string): Promise<boolean | undefined>;
  unregister(device: string): Promise<unknown>;
}

/** Whose pass it is, and the address of the page from which it came. */
export interface ShownFor {
  readonly contact_id: number;
  readonly page_generation: number;
}

export interface WalletPasses {
  /** Makes the pass of the member of a page. @returns undefined when there is no such page, or no pass; "moving" as below */
  readonly ofPage: (pageToken: string) => Promise<PassParts | "moving" | undefined>;
  /** The same for Google Wallet. */
  readonly googleOfPage: (pageToken: string) => Promise<GooglePassParts | "moving" | undefined>;
  /** What a pass shows now. */
  readonly shownOn: (businessId: number, pass: ShownFor) => Promise<ShownPass>;
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
