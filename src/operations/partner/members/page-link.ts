import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { lockMember } from "../../../database/members/members.ts";
import { findPageOf, putPage } from "../../../database/members/pages.ts";
import { markPasses } from "../../../database/wallets/updates.ts";
import { rejectMerged } from "../../members/members.ts";

export const linkMemberPage = writeOperation({
  path: "/sp/members/page-link",
  scope: "wa.members.write",
  confidential: true,
  summary: "Get the address of a member's page",
  message: "Address of the page returned.",
  description:
    "Returns the address of the page that shows a member its card, balances, vouchers and stamps. A till can print it on a receipt as a " +
    "QR code. Anyone with the address can see the page, as with a card. The address stays the same until you replace it: then the previous one shows " +
    "nothing any more. An erasure, a merge into another member and a deactivation end the page.",
  operator: { role: "support", event: "member_page.linked", sensitive: true },
  input: {
    contact_id: fields.contactId,
    replace: fields.option("Whether to make another address. The previous one is not valid any more."),
  },
  output: Type.Object({
    contact_id: fields.contactId,
    page_path: fields.personal(
      fields.text(
        80,
        "The path of the page. Add it to the base address of the API.",
        "/card/1.Jk1x0m4WnQzWcF7sY0aVbR2dEtU",
      ),
    ),
  }),
  errors: ["member_not_found", "member_inactive"],
  async write({ input: { contact_id, replace }, tx, services, caller: { businessId }, audit, reject }) {
    const member = await lockMember(tx, businessId, contact_id);
    if (member === undefined) return reject("member_not_found");
    const merged = await rejectMerged(tx, businessId, contact_id, reject);
    if (merged !== undefined) return merged;
    const tokenOf = (generation: number) => services.pageToken(`${businessId} ${contact_id} ${generation}`);
    const found = await findPageOf(tx, businessId, contact_id);
    // After another secret, or in another installation, the number makes another token.
    const isKept =
      found?.token_hash.equals(hashSecret(tokenOf(found.generation))) === true && replace !== true;
    const generation = isKept ? found.generation : (found?.generation ?? 0) + 1;
    const token = tokenOf(generation);
    if (!isKept) {
      await putPage(tx, businessId, contact_id, { generation, token_hash: hashSecret(token) });
      await markPasses(tx, businessId, contact_id);
    }
    // The address itself is not for the audit log.
    audit({ before: { contact_id }, after: { contact_id, replaced: !isKept && found !== undefined } });
    return { contact_id, page_path: `/card/${businessId}.${token}` };
  },
});
