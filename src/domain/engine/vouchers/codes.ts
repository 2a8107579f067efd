/** Codes of vouchers: public ones, which every member may use in a sale, and unique ones, each of which claims one voucher. */
import { checkLocation } from "../../access/access.ts";
import type { Moment } from "../../decision.ts";
import type { HeldVoucher } from "../../records.ts";
import { Rejection, reject } from "../../rejection.ts";
import { nameKey } from "../../text.ts";
import type { VoucherDefinition } from "../rules.ts";
import { type CodeLimit, codeLimits, publicCode } from "./limits.ts";
import type { PublicUse } from "./terms.ts";
import { notUsable } from "./use.ts";
import { decideIssue, newVoucher, totalValue, type VoucherHolder } from "./voucher.ts";

/** The form in which codes are compared: as names are, and without blanks and hyphens. */
export const codeKey = (code: string) => nameKey(code).replace(/[\s\p{Dash_Punctuation}]/gu, "");

/** A definition with a public code. */
export interface PublicDefinition extends VoucherDefinition, PublicUse {
  readonly public_key: string;
}

/** A unique code, with the definition of the voucher that it claims. */
export interface UniqueCode {
  readonly code_id: number;
  readonly definition: VoucherDefinition;
}

interface UseOfCodes {
  readonly contact_id: number;
  readonly location_id: number;
  readonly use_codes?: readonly string[] | undefined;
}

/** The definitions of the codes, and the sale that uses them. */
interface MomentOfUse extends Pick<Moment, "today" | "voucherNo" | "locations" | "codeUses"> {
  readonly sold_on: string;
  readonly codes: readonly PublicDefinition[];
}

/**
 * Makes the vouchers of public codes, for a sale that uses them at once.
 * @param balance of the member's vouchers
 * @returns a rejection when one of the codes is unknown or can't be used now
 */
export function vouchersOfCodes(
  balance: number,
  { contact_id, location_id, use_codes = [] }: UseOfCodes,
  { today, voucherNo, locations, codeUses, sold_on, codes }: MomentOfUse,
) {
  const made: HeldVoucher[] = [];
  for (const [index, code] of use_codes.entries()) {
    const field = `use_codes.${index}`;
    const definition = codes.find(({ public_key }) => public_key === codeKey(code));
    if (definition === undefined) return reject("voucher_code_not_found", { field });
    const { voucher_id, first_day, last_day } = definition;
    if (definition.archived) return reject("voucher_archived");
    const elsewhere = checkLocation(locations, definition.location_id);
    if (elsewhere !== undefined) return elsewhere;
    if (definition.location_id !== null && definition.location_id !== location_id)
      return notUsable("location", undefined, { field, location_id: definition.location_id });
    if (first_day !== null && sold_on < first_day)
      return notUsable("not_begun", undefined, { field, first_day });
    if (last_day !== null && sold_on > last_day)
      return notUsable("ended", undefined, { field, valid_through: last_day });
    const now = made.filter((one) => one.voucher_id === voucher_id).length;
    const usesOf = (limit: CodeLimit) => (codeUses.get(limit) ?? 0) + now;
    if (usesOf(codeLimits.all(voucher_id)) >= (definition.most_uses ?? Number.POSITIVE_INFINITY))
      return notUsable("used_up", undefined, { field });
    if (
      usesOf(codeLimits.ofMember(voucher_id, contact_id)) >=
      (definition.most_per_member ?? Number.POSITIVE_INFINITY)
    )
      return notUsable("most_per_member", undefined, {
        field,
        most_per_member: definition.most_per_member ?? 0,
      });
    const voucher = newVoucher(
      balance + totalValue(made),
      definition,
      { contact_id },
      {
        today,
        voucherNo: voucherNo + made.length,
      },
    );
    if (voucher instanceof Rejection) return voucher;
    made.push({ ...voucher, code_id: publicCode });
  }
  return made;
}

/** Decides to give a member the voucher of a unique code. @param code undefined for an unknown one */
export function decideClaim(
  member: VoucherHolder,
  input: { readonly contact_id: number; readonly location_id?: number | undefined },
  code: UniqueCode | undefined,
  moment: Moment,
) {
  if (code === undefined) return reject("voucher_code_not_found", { field: "code" });
  const { code_id, definition } = code;
  if ((moment.codeUses.get(codeLimits.claimed(code_id)) ?? 0) > 0)
    return notUsable("claimed", undefined, { field: "code" });
  const decision = decideIssue(member, definition, input, moment);
  if (decision instanceof Rejection) return decision;
  const held_voucher = decision.changes.held_voucher.map((voucher) => ({ ...voucher, code_id }));
  return { ...decision, changes: { held_voucher } };
}
