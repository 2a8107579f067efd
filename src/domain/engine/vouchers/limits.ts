/** What the limits of codes count. */
import type { HeldVoucher } from "../../records.ts";

/** The `code_id` of vouchers that public codes made. */
export const publicCode = 0;

/** What a limit counts: the uses of a public code, those of one member, or whether a unique code was claimed. */
export type CodeLimit = `uses ${number}` | `uses ${number} of ${number}` | `claimed ${number}`;

export const codeLimits = {
  all: (voucherId: number): CodeLimit => `uses ${voucherId}`,
  ofMember: (voucherId: number, contactId: number): CodeLimit => `uses ${voucherId} of ${contactId}`,
  claimed: (codeId: number): CodeLimit => `claimed ${codeId}`,
};

/** How many uses of a public code the change of a voucher of this code adds, -1 when one is taken back. */
export const usesOfPublicCode = (before: HeldVoucher | undefined, after: HeldVoucher) =>
  after.code_id === publicCode
    ? Number(after.status === "redeemed") - Number(before?.status === "redeemed")
    : 0;

/** What the change of a voucher adds to what limits count. */
export function codeUsesOf(
  before: HeldVoucher | undefined,
  after: HeldVoucher,
): readonly { readonly limit: CodeLimit; readonly uses: number }[] {
  const { code_id, voucher_id, contact_id } = after;
  if (code_id === null) return [];
  if (code_id !== publicCode) {
    return before === undefined ? [{ limit: codeLimits.claimed(code_id), uses: 1 }] : [];
  }
  const uses = usesOfPublicCode(before, after);
  return [codeLimits.all(voucher_id), codeLimits.ofMember(voucher_id, contact_id)].map((limit) => ({
    limit,
    uses,
  }));
}
