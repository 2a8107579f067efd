/** Unique codes of vouchers. */
import { randomBytes } from "node:crypto";

/** Crockford's base 32, without I, L, O and U. */
const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes a code of 60 random bits, such as K7QD-3MVX-9TRB. */
export function newVoucherCode(): string {
  const code = [...randomBytes(12)].map((byte) => symbols[byte % symbols.length]).join("");
  return `${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8)}`;
}
