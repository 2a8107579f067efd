/**
 * What a decision about a member gets and returns. An operation declares what its decision needs. The type of the member that the
 * decision gets is made from the declaration, so that a decision can read only what was loaded.
 */
import type { Rules } from "./engine/rules.ts";
import type { Account, EventType } from "./ledger.ts";
import type { Changes, Debt, Kind, Lot, Records } from "./records.ts";

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
export const namedKinds = ["sale", "redemption", "movement"] as const satisfies readonly Kind[];
export type NamedKind = (typeof namedKinds)[number];

/** What a decision reads. */
export interface Needs {
  /** The accounts that it reads and that its entries move. */
  readonly balances: readonly Account[];
  /**
   * Declares that the decision needs the points, settled, and the rules. The function calculates from the input how many points
   * the decision spends at most, without the points that it takes back for a named sale. Lots with so many points are read.
   */
  readonly points?: (input: never) => number;
  /** The records that the input names by their number. */
  readonly named?: readonly NamedKind[];
}

type NamedIn<N extends Needs> = N["named"] extends readonly NamedKind[] ? N["named"][number] : never;

/** A member as a decision sees it. */
export type Member<N extends Needs = { balances: readonly Account[]; points: () => number }> = {
  readonly active: boolean;
  /** Whether the member's personal data was erased, and its accounts closed. */
  readonly erased: boolean;
  readonly balances: Readonly<Record<N["balances"][number], number>>;
} & (N["points"] extends (input: never) => number ? { readonly points: Points } : unknown) & {
    readonly [Name in NamedIn<N>]: Records[Name] | undefined;
  };

/** The rules that a decision gets: those of the day in sold_on, or of today without it. */
export type RulesFor<N extends Needs> = N["points"] extends (input: never) => number ? Rules : undefined;

/** An entry to add to the ledger. The write path adds its number and its time. */
export interface EntryDraft {
  readonly event_type: EventType;
  /** Signed, never 0. It changes the account of the event type. */
  readonly amount: number;
  /** The caller's reference. All entries of a command without one get the generated reference of the first. */
  readonly reference_id?: string | undefined;
  /** When it happened, as PostgreSQL writes times in UTC; now when absent. */
  readonly created_at?: string | undefined;
}

/** The entries and records that a decision adds, and the data of the response. */
export interface Decision<Data = unknown> {
  /** In the order of recording. */
  readonly entries: readonly EntryDraft[];
  /** The location of all entries. */
  readonly location_id?: number | null | undefined;
  /** The reason of all entries. */
  readonly reason?: string | undefined;
  readonly changes?: Changes | undefined;
  readonly data: Data;
}
