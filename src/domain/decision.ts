/**
 * What a decision about a member gets and returns. An operation declares what its decision needs. The type of the member that the
 * decision gets is made from the declaration, so that a decision can read only what was loaded.
 */

import type { LocationAccess } from "./access/access.ts";
import type { Currency } from "./amount-text.ts";
import type { Anonymous } from "./cards.ts";
import type { Buying } from "./engine/promotions/acting.ts";
import type { Rules } from "./engine/rules.ts";
import type { MemberTier } from "./engine/tiers/tier.ts";
import type { CodeLimit } from "./engine/vouchers/limits.ts";
import type { Account, EventType } from "./ledger.ts";
import type {
  Changes,
  Debt,
  HeldVoucher,
  Kind,
  Lot,
  MemberStampCard,
  Records,
  SalesOfDay,
} from "./records.ts";

export type Balances = Readonly<Record<Account, number>>;

/**
 * A member's points. The totals are of all lots. The list has only the lots that the decision can change: lots that are due, lots
 * that are spent first, and lots that the input names.
 */
export interface Points {
  /** The balance of the points account. */
  readonly balance: number;
  /** The points that are left in matured lots. The rest of the balance belongs to no lot. */
  readonly lotted: number;
  /** The points that are left in pending lots. They are not in the balance. */
  readonly pending: number;
  readonly lots: readonly Lot[];
  readonly debts: readonly Debt[];
}

/** The kinds of records that an input can name by their number, in a field such as sale_id. */
export const namedKinds = [
  "sale",
  "redemption",
  "movement",
  "held_voucher",
] as const satisfies readonly Kind[];
export type NamedKind = (typeof namedKinds)[number];

/** Vouchers of a member that an input names. */
export interface NamedVouchers {
  readonly ids?: readonly number[] | undefined;
  /** The voucher of this code, in the form in which codes are compared, that lapses first. */
  readonly code?: string | undefined;
}

/** Stamps that an input takes off a card of a member by hand. As many vouchers of the card are read as they have paid for at most. */
export interface StampsOff {
  readonly stamp_card_id: number;
  readonly stamps: number;
}

/** What a decision reads. */
export interface Needs {
  /** The accounts that it reads and that its entries move. */
  readonly balances: readonly Account[];
  /**
   * Its points, settled, and the rules. The function returns how many points the decision spends at most, by the input and by
   * the record that was found before. Points that a named sale earned don't count. So many points in lots are read.
   */
  readonly points?: (input: never, record: never) => number;
  /**
   * The vouchers that the input names, and those of named sales and redemptions, settled. It needs points as well: both are
   * settled together.
   */
  readonly vouchers?: (input: never) => NamedVouchers;
  /** Its tier, settled, with the sales that decide about it. It needs points as well. */
  readonly tier?: true;
  /** What decides about promotions. It needs points and a tier as well. */
  readonly promotions?: true;
  /** Its stamp cards, settled. It needs points and a tier as well. */
  readonly stamps?: true;
  /** The records that the input names by their number. */
  readonly named?: readonly NamedKind[];
  /** The codes of vouchers whose uses are counted, by the record that was found before. */
  readonly codes?: (record: never) => readonly CodeOfVoucher[];
}

/** A code of a voucher. `code_id` is 0 for a public one. */
export interface CodeOfVoucher {
  readonly code_id: number;
  readonly voucher_id: number;
}

type NamedIn<N extends Needs> = N["named"] extends readonly NamedKind[] ? N["named"][number] : never;

/** A member as a decision sees it. */
export type Member<
  N extends Needs = { balances: readonly Account[]; points: () => number; vouchers: () => NamedVouchers },
> = {
  readonly active: boolean;
  /** Null or absent: it is a person. */
  readonly anonymous?: Anonymous | null;
  readonly balances: Readonly<Record<N["balances"][number], number>>;
} & (N["named"] extends readonly NamedKind[]
  ? {
      /** Whether the member's personal data was erased, and its accounts closed. It is read with named records. */
      readonly erased: boolean;
    }
  : unknown) &
  (N["points"] extends (input: never, record: never) => number ? { readonly points: Points } : unknown) &
  (N["vouchers"] extends (input: never) => NamedVouchers
    ? { readonly vouchers: readonly HeldVoucher[] }
    : unknown) &
  (N["promotions"] extends true ? { readonly buying: Buying } : unknown) &
  (N["stamps"] extends true ? StampHolder : unknown) &
  (N["tier"] extends true ? { readonly tier: MemberTier } : unknown) & {
    readonly [Name in NamedIn<N>]: Records[Name] | undefined;
  };

/** A member of a decision about stamps. */
export interface StampHolder {
  readonly cards: readonly MemberStampCard[];
}

/** A member of a decision about the refund of a sale, and about a sale. */
export type Buyer = Member & StampHolder & { readonly tier: MemberTier };
export type Customer = Buyer & { readonly buying: Buying };

/** A member of a decision that undoes what a record says. The member may be erased. */
export type Undone<M> = M & { readonly erased: boolean };

/** The rules that a decision gets: those of the day in sold_on, or of today without it. */
export type RulesFor<N extends Needs> = N["points"] extends (input: never, record: never) => number
  ? Rules
  : undefined;

/** The time of a decision, its member, and the numbers of what it adds. */
export interface Moment {
  /** The day in the business's time zone, YYYY-MM-DD. */
  readonly today: string;
  /** The time, as PostgreSQL writes it. */
  readonly now: string;
  /** The time in the business's time zone, YYYY-MM-DD HH:MM:SS. */
  readonly localTime: string;
  /** The currency of the business, for texts that a till shows. */
  readonly currency: Currency;
  /** The number of the decision's first entry. */
  readonly entryNo: number;
  /** The number of the first voucher that it issues. */
  readonly voucherNo: number;
  /** The locations that the caller may use. */
  readonly locations: LocationAccess;
  /** The points that promotions with a budget have given, by promotion_id. */
  readonly given: ReadonlyMap<number, number>;
  /** What the limits of the codes count that were found before. */
  readonly codeUses: ReadonlyMap<CodeLimit, number>;
}

/** An entry to add to the ledger. The write path adds its number and its time. */
export interface EntryDraft {
  readonly event_type: EventType;
  /** Signed, never 0. It changes the account of the event type. */
  readonly amount: number;
  /** The reference of what it is about: a lot that matures, a debt that is paid, a voucher that lapses. By default, the decision's. */
  readonly reference_id?: string | undefined;
  /** When it happened, as PostgreSQL writes times in UTC; now when absent. */
  readonly created_at?: string | undefined;
  /** The parts of the amount by the day and the location of the sale. An entry of the sales account needs them. */
  readonly sold?: readonly SalesOfDay[] | undefined;
  /** The location of an earlier record that it is about, such as the sale whose points mature; the decision's when absent. */
  readonly location_id?: number | null | undefined;
  /** For the event of the entry: the day on which points expired, or the lot that matured. */
  readonly facts?: { readonly day?: string; readonly lot_id?: number } | undefined;
}

/** The entries and records that a decision adds, and the data of the response. */
export interface Decision<Data = unknown> {
  /** In the order of recording. */
  readonly entries: readonly EntryDraft[];
  /** The reference of its entries and its event; undefined: the first entry gets a generated one, which all of them share. */
  readonly reference_id: string | undefined;
  /** The location of the entries. */
  readonly location_id?: number | null | undefined;
  /** The reason of all entries. */
  readonly reason?: string | undefined;
  readonly changes?: Changes | undefined;
  /** The worth in minor units of what is corrected by hand, for the limits of operators; what its entries move when absent. */
  readonly corrected?: number;
  /** Whether the member is erased or merged. No event says that it has lost its tier. */
  readonly closes?: true;
  readonly data: Data;
}
