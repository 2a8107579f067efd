import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { findMemberAndRules } from "../../../database/engine/members.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { eraseMember } from "../../../database/members/erasing.ts";
import { listMergedInto, lockStanding, setActive } from "../../../database/members/members.ts";
import { markPasses } from "../../../database/wallets/updates.ts";
import { closeAccounts, settleMembers } from "../../../pipeline/postings/open-ledger.ts";
import { money, points } from "../../amounts.ts";

export const eraseMemberOperation = writeOperation({
  path: "/op/members/erase",
  role: "owner",
  sensitive: true,
  event: "member.erased",
  emits: "member.erased",
  summary: "Erase a member's personal data",
  description:
    "Erases names, phone number, e-mail address, date of birth, password, external reference, remarks, referral code, cards, page and tier of a member, and the " +
    "articles and categories of its purchases, also from the responses that are stored for retries. You can't undo this. The ledger entries stay, under the " +
    "contact_id. The member becomes inactive, and another member can have its phone number. Members that were merged into it " +
    "are erased, too. If the member has money, " +
    "points or vouchers, a reason is required, and they are written off. Earlier backups still contain the data.",
  confirm: "This can't be undone.",
  rejects(member, { reason }) {
    const balances = [member.wallet_balance, member.points_balance, member.vouchers_balance];
    return reason === undefined && balances.some((balance) => balance !== 0)
      ? "balances_not_zero"
      : undefined;
  },
  message: "Member erased.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    reason: Type.Optional(fields.reason),
  },
  output: Type.Object({
    contact_id: fields.contactId,
    written_off: Type.Object(
      {
        wallet: money("Money from the wallet", 1370),
        points: points("Points, without those that were still pending.", 165),
        vouchers: money("Vouchers"),
      },
      { description: "The balances that were written off." },
    ),
  }),
  errors: ["member_not_found", "balances_not_zero"],
  async write({ input: { contact_id, reason }, tx, caller: { businessId }, audit, emit, reject }) {
    await lockLedger(tx, businessId);
    if ((await lockStanding(tx, businessId, contact_id)) === undefined) return reject("member_not_found");
    await settleMembers(tx, businessId, [contact_id]);
    const member = await findMemberAndRules(tx, { businessId, contactId: contact_id });
    if (member === undefined) return reject("member_not_found");
    const { wallet, points, vouchers } = member.balances;
    const written_off = { wallet, points, vouchers };
    if (reason === undefined && wallet + points + vouchers > 0)
      return reject("balances_not_zero", written_off);
    await closeAccounts(tx, businessId, contact_id, reason);
    await setActive(tx, businessId, contact_id, false);
    const merged = await listMergedInto(tx, businessId, contact_id);
    for (const id of [contact_id, ...merged]) {
      await markPasses(tx, businessId, id);
      await eraseMember(tx, businessId, id);
      audit({
        before: { contact_id: id },
        after: { contact_id: id, erased: true, ...(id === contact_id && { written_off }) },
      });
    }
    emit({
      contact_ids: [contact_id, ...merged],
      data: { contact_id, merged_contact_ids: merged, written_off },
    });
    return { contact_id, written_off };
  },
});
