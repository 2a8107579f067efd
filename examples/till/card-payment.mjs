/** Pays a receipt with the money of a card, such as a gift card, as far as it goes, and says what is left on the card. */
import { RejectedError } from "./api.mjs";
import { amount } from "./member.mjs";

/** @typedef {import("./api.mjs").Api} Api */

/**
 * @param {Api} api
 * @param {{ card: string, pay: number, receipt: string, location: number }} purchase `pay` is in minor units
 * @returns {Promise<string[]>} the lines for the receipt
 */
export async function payWithCard(api, { card: card_code, pay, receipt, location: location_id }) {
  const { data: card } = await api.call("/sp/cards/balance", { card_code });
  const { contact_id } = card;
  const reference_id = `receipt/${receipt}`;
  // The card has less money after the sale, so a second try with the same body is not possible: it looks for the sale first.
  const { data: known } = await api.call("/sp/sales/list", { reference_id });
  if (known.some((sale) => sale.contact_id !== contact_id))
    throw new Error(`Receipt ${receipt} was paid with another card or by another member.`);
  const sale = { reference_id, contact_id, location_id, amount: pay };
  const used = known[0]?.wallet_used ?? (await record(api, sale, card.balances.wallet));
  if (used === undefined) return ["Nothing is left on the card. Nothing was recorded."];
  const { data: after } = await api.call("/sp/cards/balance", { card_code });
  const until = after.valid_through === null ? "" : `, through ${after.valid_through}`;
  return [
    `Receipt ${receipt}: ${amount(used)} paid with the card${used < pay ? `, ${amount(pay - used)} still due` : ""}`,
    `Left on the card: ${amount(after.balances.wallet)}${until}`,
  ];
}

/**
 * @param {Api} api
 * @param {{ reference_id: string, amount: number }} sale
 * @param {number} left what is on the card, in minor units
 * @returns {Promise<number | undefined>} what the card paid; undefined if nothing is left on it
 */
async function record(api, sale, left) {
  if (left === 0) return undefined;
  const use_wallet = Math.min(sale.amount, left);
  try {
    await api.call("/sp/sales/record", { idempotency_key: sale.reference_id, ...sale, use_wallet });
    return use_wallet;
  } catch (error) {
    // Another till has used the card meanwhile.
    if (!(error instanceof RejectedError) || error.code !== "insufficient_balance") throw error;
    return record(api, sale, error.details.balance);
  }
}
