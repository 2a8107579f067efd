/** What vouchers pay, and who may use the code of a definition. Amounts are in minor units. */

export const voucherKinds = ["value", "percent", "item"] as const satisfies VoucherTerms["kind"][];

/** What a voucher pays, besides its value. */
export interface VoucherTerms {
  /** Its value, a share of the lines that count, or one unit of the dearest of them. */
  readonly kind: "value" | "percent" | "item";
  /** Of a share, from 1 to 100. */
  readonly percent: number | null;
  /** The most that a share or an article pays, in minor units; null: any amount. */
  readonly most_amount: number | null;
  /** The lines that count for a share or an article. Both empty: all. */
  readonly skus: readonly string[];
  readonly categories: readonly string[];
  /** The smallest sale in which it can be used, in minor units. */
  readonly minimum_amount: number;
}

/** A code that every member may use, how often, and on which days; null: there is no such code, or no limit. */
export interface PublicUse {
  readonly public_code: string | null;
  readonly most_per_member: number | null;
  readonly most_uses: number | null;
  readonly first_day: string | null;
  readonly last_day: string | null;
}

/** What a definition has by default: a voucher that pays its value in any sale, without a public code. */
export const plainVoucher: VoucherTerms & PublicUse & { readonly public_key: null } = {
  kind: "value",
  percent: null,
  most_amount: null,
  skus: [],
  categories: [],
  minimum_amount: 0,
  public_code: null,
  public_key: null,
  most_per_member: null,
  most_uses: null,
  first_day: null,
  last_day: null,
};

/**
 * The change of a definition, with what follows from another kind: what only the former kind has is cleared, unless it is sent.
 * @param before undefined for a new definition
 */
export function changeOfKind<
  Change extends { readonly [Field in keyof VoucherTerms]?: VoucherTerms[Field] | undefined },
>(before: Pick<VoucherTerms, "kind"> | undefined, change: Change): Change {
  const { kind } = change;
  if (before === undefined || kind === undefined || kind === before.kind) return change;
  const { percent, most_amount, skus, categories } = plainVoucher;
  const ofValue = kind === "value" ? { most_amount, skus, categories } : { coupon_value: 0 };
  return { percent, ...ofValue, ...change };
}
