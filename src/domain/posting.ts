/** The state of a member that decisions get, and the records that they return. Amounts of money are in minor units. */
import type { Account, EventType } from "./ledger.ts";

/** The points that a sale earned. Some are left; the others were clawed back, used or expired. */
export interface Lot {
  /** The sale that earned them. */
  readonly lot_id: number;
  /** The reference of that sale. */
  readonly reference_id: string;
  readonly earned_on: string;
  /** The first day on which they can be spent. */
  readonly matures_on: string;
  /** The first day on which they can no longer be spent; null: they don't expire. */
  readonly expires_on: string | null;
  /** Whether they are in the balance. */
  readonly matured: boolean;
  readonly points: number;
  readonly clawed: number;
  readonly used: number;
  readonly expired: number;
}

/** Points that the refund of a sale could not take back. Points that the member gets later pay them. */
export interface Debt {
  readonly sale_id: number;
  readonly reference_id: string;
  readonly owed: number;
}

/** Spent points of one lot. */
export interface Use {
  /** 0: points without a lot. */
  readonly lot_id: number;
  readonly points: number;
}

/** A member's points. */
export interface Points {
  /** The balance of the points account. */
  readonly balance: number;
  readonly lots: readonly Lot[];
  /** Oldest first. */
  readonly debts: readonly Debt[];
}

/** How a program turns an amount into points. A sale keeps the rate it was recorded with, for its refunds. */
export interface EarningRate {
  /** So many points … */
  readonly earn_points: number;
  /** … for each of these amounts, in minor units. */
  readonly earn_amount: number;
  /** Below this amount, in minor units, a sale earns nothing. */
  readonly earn_minimum_amount: number;
  readonly maximum_points_per_order: number;
}

/** A sale as it is stored: how it was paid, and what it earned at which rate, for its refunds. */
export interface Sale extends EarningRate {
  /** The number of its first ledger entry. */
  readonly sale_id: number;
  readonly contact_id: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly sold_on: string;
  readonly amount: number;
  /** The part of the amount that could earn. */
  readonly eligible_amount: number;
  readonly points_used: number;
  /** The amount that these points paid. */
  readonly points_amount: number;
  readonly wallet_used: number;
  /** The amount that the till took. */
  readonly amount_due: number;
  /** The amount that earned. */
  readonly earning_base: number;
  readonly points_earned: number;
  readonly rules_version: number;
  /** The part of the amount that was refunded so far. */
  readonly refunded: number;
  /** Points that refunds did not take back because they had expired before. */
  readonly points_excused: number;
  /** The lots of the points that paid and were not put back. */
  readonly uses: readonly Use[];
}

/** The amounts and points that a refund gives back or takes back. */
export interface RefundParts {
  /** The amount that the till gives back. */
  readonly money_back: number;
  readonly wallet_back: number;
  /** Points that had paid. */
  readonly points_back: number;
  /** Points that the sale had earned. */
  readonly points_clawed: number;
}

export interface Refund extends RefundParts {
  readonly sale_id: number;
  /** The total refunded of the sale, with this refund. */
  readonly refunded: number;
  readonly amount: number;
  readonly location_id: number;
  readonly reference_id: string;
  readonly reason: string | null;
}

/** Points that were spent without a sale. */
export interface Redemption {
  /** The number of its ledger entry. */
  readonly redemption_id: number;
  readonly contact_id: number;
  readonly location_id: number | null;
  readonly reference_id: string;
  readonly points: number;
  readonly reversed: boolean;
  /** The lots of the points. */
  readonly uses: readonly Use[];
}

export type Balances = Readonly<Record<Account, number>>;

/** A member as a decision sees it. */
export interface Member {
  readonly active: boolean;
  /** Of the accounts that the operation needs. */
  readonly balances: Balances;
  /** The lots that have points left, and those that the sale or redemption concerns. */
  readonly points: Points;
  /** The sale that the input names by sale_id. */
  readonly sale?: Sale | undefined;
  /** The redemption that the input names by redemption_id. */
  readonly redemption?: Redemption | undefined;
}

/** An entry to add to the ledger. The write path numbers, dates and stores it. */
export interface EntryDraft {
  readonly event_type: EventType;
  /** Signed, never 0. The event type says which account it moves. */
  readonly amount: number;
  /** The caller's reference. All entries of a command without one get the generated reference of the first. */
  readonly reference_id?: string | undefined;
}

/** The records that a decision adds or changes, and the data of the response. */
export interface Posting<Data = unknown> {
  /** Points that were due before. Their entries have no integration, and each has its own reference. */
  readonly settled?: readonly EntryDraft[];
  /** In the order of recording. */
  readonly entries: readonly EntryDraft[];
  /** Of these entries. */
  readonly location_id?: number | null | undefined;
  readonly reason?: string | undefined;
  /** The member's points after the entries; absent when the decision did not touch them. */
  readonly points?: Points;
  /** A sale that was made or refunded, as it is now. */
  readonly sale?: Sale;
  readonly refund?: Refund;
  /** A redemption that was made or reversed, as it is now. */
  readonly redemption?: Redemption;
  readonly data: Data;
}
