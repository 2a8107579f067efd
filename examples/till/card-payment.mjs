/** Pays a receipt with the money of a card, such as a gift card, as far as it goes, and says what is left on the card. */
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
  const used = known[0]?.wallet_used ?? Math.min(pay, card.balances.wallet);
  if (known.length === 0) {
    const sale = { contact_id, location_id, amount: pay, use_wallet: used };
    await api.call("/sp/sales/record", { idempotency_key: reference_id, reference_id, ...sale });
  }
  const { data: after } = await api.call("/sp/cards/balance", { card_code });
  const until = after.valid_through === null ? "" : `, through ${after.valid_through}`;
  return [
    `Receipt ${receipt}: ${amount(used)} paid with the card${used < pay ? `, ${amount(pay - used)} still due` : ""}`,
    `Left on the card: ${amount(after.balances.wallet)}${until}`,
  ];
}
