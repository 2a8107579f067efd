/** What a till shows of a member: the tier, the way to the next one, and what the member can spend. */
import { randomUUID } from "node:crypto";
import { renderUnicodeCompact } from "uqr";

/** @typedef {import("./api.mjs").Api} Api */

/**
 * @param {Api} api
 * @param {string} scanned a phone number that begins with +, or the code of a card as it was scanned
 * @returns {Promise<string[]>} the lines
 */
export async function showMember(api, scanned) {
  const key = scanned.startsWith("+") ? { phone_number: scanned } : { card_code: scanned };
  const { data: member } = await api.call("/sp/members/find", key);
  const { contact_id } = member;
  // Found by a card, the member comes with its balances.
  const { wallet, points, rp_name } =
    member.balances ?? (await api.call("/sp/members/balances", { contact_id })).data;
  const vouchers = [];
  for await (const voucher of api.list("/sp/vouchers/list", { contact_id, status: "held" }))
    vouchers.push(voucher);
  const page = member.active ? await pageLines(api, contact_id) : [];
  return [
    `${member.first_name} ${member.last_name}${member.active ? "" : ", inactive"}`,
    `Wallet ${amount(wallet)}, ${rp_name ?? "points"} ${points}`,
    ...tierLines(member),
    ...(vouchers.length === 0 ? ["No vouchers"] : vouchers.map(voucherLine)),
    ...page,
  ];
}

/**
 * The address of the page on which the member sees all this, with a QR code for the receipt. It stays the same.
 * @param {Api} api
 * @param {number} contact_id
 */
async function pageLines(api, contact_id) {
  const { data } = await api.call("/sp/members/page-link", { contact_id, idempotency_key: randomUUID() });
  const address = api.baseUrl + data.page_path;
  return [`Page: ${address}`, ...renderUnicodeCompact(address, { border: 2 }).split("\n")];
}

/** @param {any} member @returns {string[]} */
function tierLines({ tier, next_tier: next, keep_tier: keep }) {
  const lines = [tier === null ? "No tier" : `${tier.name} through ${tier.valid_through}`];
  if (keep !== null && keep.sales_missing > 0)
    lines.push(`${amount(keep.sales_missing)} more from ${keep.from} to ${keep.until} keeps ${tier.name}`);
  if (next !== null && next.sales_missing > 0) {
    const by = next.reach_by === null ? "" : ` by ${next.reach_by}`;
    lines.push(`${amount(next.sales_missing)} more${by} reaches ${next.name}`);
  }
  return lines;
}

/** @param {any} voucher */
function voucherLine({ held_voucher_id, campaign_name, coupon_code, coupon_value, valid_through }) {
  const value = coupon_value === 0 ? "" : `, ${amount(coupon_value)}`;
  const until = valid_through === null ? "" : `, through ${valid_through}`;
  return `Voucher ${held_voucher_id}: ${campaign_name} (${coupon_code})${value}${until}`;
}

/** Amounts are in minor units. @param {number} minorUnits of a currency with two decimals */
export function amount(minorUnits) {
  return (minorUnits / 100).toFixed(2);
}
