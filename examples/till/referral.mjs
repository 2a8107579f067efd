/** Lets members bring others: the code of a member, and a new member who names one. */

/** @typedef {import("./api.mjs").Api} Api */

/**
 * @param {Api} api
 * @param {string} phone_number of the member who brings others
 * @returns {Promise<string[]>} the lines
 */
export async function showCode(api, phone_number) {
  const { data: member } = await api.call("/sp/members/find", { phone_number });
  const { contact_id } = member;
  const { data } = await api.call("/sp/referrals/code", {
    idempotency_key: `referral-code/${contact_id}`,
    contact_id,
  });
  return [`The code of ${member.first_name} ${member.last_name}: ${data.referral_code}`];
}

/**
 * Makes a member who was brought by the owner of a code. It can be repeated, and then says what has become of the referral.
 * @param {Api} api
 * @param {{ phone: string, name: string, code: string }} person
 * @returns {Promise<string[]>} the lines
 */
export async function joinByCode(api, { phone: phone_number, name, code: referral_code }) {
  const [first_name = "", ...others] = name.trim().split(/\s+/);
  const person = { first_name, last_name: others.join(" "), phone_number };
  const { data: made } = await api.call("/sp/members/create", {
    idempotency_key: `member/${phone_number}`,
    ...person,
  });
  const { contact_id } = made;
  await api.call("/sp/referrals/create", {
    idempotency_key: `referral/${contact_id}`,
    contact_id,
    referral_code,
  });
  for await (const referral of api.list("/sp/referrals/list", { contact_id }))
    if (referral.contact_id === contact_id) return [`${name} was brought: ${words(referral)}`];
  return [];
}

/** @param {{ status: string, ends_on: string | null }} referral */
function words({ status, ends_on }) {
  if (status === "open") return "both get something when the first purchase is large enough and kept";
  if (status === "qualified") return `the purchase counts if it is kept until ${ends_on}`;
  return status === "granted"
    ? "both have got something"
    : "nobody gets anything: the purchase was too small or not kept, or the two members were merged";
}
