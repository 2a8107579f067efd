/** What recorded sales, and their refunds, change of what promotions have given. */
import type { Sale, SaleGrant } from "../../records.ts";

export interface GrantChange {
  readonly promotion_id: number;
  /** 1: the promotion gives something for one more sale; -1: a refund has taken all of it back. */
  readonly given: -1 | 0 | 1;
  readonly points: number;
}

const isGiving = (grant: Pick<SaleGrant, "left" | "keeps_voucher"> | undefined) =>
  Number(grant !== undefined && (grant.left > 0 || grant.keeps_voucher));

/** @param before undefined for a new sale */
export function grantChanges(before: Sale | undefined, { grants }: Sale): GrantChange[] {
  return (grants ?? []).flatMap((grant, nth) => {
    const known = before?.grants?.[nth];
    const given = (isGiving(grant) - isGiving(known)) as GrantChange["given"];
    const points = grant.left - (known?.left ?? 0);
    return given === 0 && points === 0 ? [] : [{ promotion_id: grant.promotion_id, given, points }];
  });
}
