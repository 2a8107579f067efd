/** What recorded sales, and their refunds, change of what promotions have given. */
import type { Sale } from "../../records.ts";

export interface GrantChange {
  readonly promotion_id: number;
  /** 1: the promotion gives points for one more sale; -1: a refund has taken all of them back. */
  readonly given: -1 | 0 | 1;
  readonly points: number;
}

const isGiving = (left: number | undefined) => Number((left ?? 0) > 0);

/** @param before undefined for a new sale */
export function grantChanges(before: Sale | undefined, { grants }: Sale): GrantChange[] {
  return (grants ?? []).flatMap(({ promotion_id, left }, nth) => {
    const known = before?.grants?.[nth]?.left;
    if (known === left) return [];
    const given = (isGiving(left) - isGiving(known)) as GrantChange["given"];
    return [{ promotion_id, given, points: left - (known ?? 0) }];
  });
}
