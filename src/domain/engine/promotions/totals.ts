/** What recorded sales, and their refunds, change of what promotions have given. */
import type { Sale, SaleGrant } from "../../records.ts";

export interface GrantChange {
  readonly promotion_id: number;
  /** 1: the promotion gives something for one more sale; -1: a refund has taken all of it back. */
  readonly given: -1 | 0 | 1;
  readonly points: number;
  /** Whether it gave something before, and whether it does now. */
  readonly gave: boolean;
  readonly gives: boolean;
  /** Whether it counts for the limits of the member. */
  readonly counts: boolean;
}

/** 1: it gives something for its sale. */
const isGiving = (
  grant: Pick<SaleGrant, "left" | "keeps_voucher" | "excuses_voucher" | "keeps_stamps"> | undefined,
) =>
  Number(
    grant !== undefined &&
      (grant.left > 0 || grant.keeps_voucher || grant.excuses_voucher || grant.keeps_stamps),
  );

/** @param before undefined for a new sale */
export function grantChanges(before: Sale | undefined, { grants }: Sale): GrantChange[] {
  return (grants ?? []).map((grant, nth) => {
    const known = before?.grants?.[nth];
    const [gave, gives] = [isGiving(known), isGiving(grant)];
    const given = (gives - gave) as GrantChange["given"];
    const points = grant.left - (known?.left ?? 0);
    const { promotion_id, counts } = grant;
    return { promotion_id, given, points, gave: gave === 1, gives: gives === 1, counts };
  });
}
