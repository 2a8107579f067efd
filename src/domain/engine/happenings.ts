/** What decisions did that the entries of the ledger don't tell. Reports count it by day and location. */
import type { HeldVoucher, Kind, Movement, Records, Refund, Sale } from "../records.ts";

/** Something that happened: how often, and for how much. Both are negative for what was undone. */
export interface Happening {
  readonly what:
    | ("bonus" | "sale_without_entry" | "refund_without_entry")
    | ("voucher_issue" | "voucher_use" | "voucher_lapse");
  readonly items: number;
  readonly amount: number;
}

type HappeningsOf<Name extends Kind> = (
  before: Records[Name] | undefined,
  after: Records[Name],
) => readonly Happening[];

const happenings = {
  /** A bonus has the same event type as the amount that was paid. */
  movement(before: Movement | undefined, { kind, promo_amount, reversed }: Movement): readonly Happening[] {
    if (kind === "payment" || promo_amount === 0 || before?.reversed === reversed) return [];
    const items = reversed ? -1 : 1;
    return [{ what: "bonus", items, amount: items * promo_amount }];
  },
  /** A sale has no entry if vouchers and points paid all of it. */
  sale(before: Sale | undefined, { wallet_used, amount_due }: Sale): readonly Happening[] {
    if (before !== undefined || wallet_used + amount_due > 0) return [];
    return [{ what: "sale_without_entry", items: 1, amount: 0 }];
  },
  refund(_: Refund | undefined, { wallet_back, money_back }: Refund): readonly Happening[] {
    return wallet_back + money_back > 0 ? [] : [{ what: "refund_without_entry", items: 1, amount: 0 }];
  },
  /** A voucher without a value has no entries, and lapsing and giving back have the same event type. */
  held_voucher(before: HeldVoucher | undefined, after: HeldVoucher): readonly Happening[] {
    const became = (status: HeldVoucher["status"]) =>
      Number(after.status === status) - Number(before?.status === status);
    const items = {
      voucher_issue: Number(before === undefined) - became("returned"),
      voucher_use: became("redeemed"),
      voucher_lapse: became("lapsed"),
    };
    return Object.entries(items)
      .filter(([, number]) => number !== 0)
      .map(([what, number]) => ({
        what: what as keyof typeof items,
        items: number,
        amount: number * after.coupon_value,
      }));
  },
} satisfies { readonly [Name in Kind]?: HappeningsOf<Name> };

/** What the change of a record means. @param before undefined for a new record */
export function happeningsOf<Name extends Kind>(
  kind: Name,
  before: Records[Name] | undefined,
  after: Records[Name],
): readonly Happening[] {
  return (happenings as { readonly [One in Kind]?: HappeningsOf<Name> })[kind]?.(before, after) ?? [];
}
