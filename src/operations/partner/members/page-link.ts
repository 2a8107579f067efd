import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import type { Services } from "../../../contract/services.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { hasCard } from "../../../database/members/cards.ts";
import { lockMember } from "../../../database/members/members.ts";
import { findPageOf, type PageRow, putPage } from "../../../database/members/pages.ts";
import { markPasses } from "../../../database/wallets/updates.ts";
import { makeCard, rejectHiddenCode, toldCard } from "../../members/cards.ts";
import { rejectMerged } from "../../members/members.ts";

export const linkMemberPage = writeOperation({
  path: "/sp/members/page-link",
  scope: "wa.members.write",
  emits: "card.created",
  confidential: true,
  summary: "Get the address of a member's page",
  message: "Address of the page returned.",
  description:
    "Returns the address of the page that shows a member its card, balances, vouchers and stamps. A till can print it on a receipt as a " +
    "QR code. A member that never had a card gets one of the kind app, so that the page has a code. Anyone with the address can see the " +
    "page, as with a card. The address stays the same until you replace it: then the previous one shows nothing any more. An erasure, a merge into another member and a deactivation end the page.",
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
  async write({ input: { contact_id, replace }, tx, services, caller, audit, emit, reject }) {
    const { businessId } = caller;
    const member = await lockMember(tx, businessId, contact_id);
    if (member === undefined) return reject("member_not_found");
    const hidden = rejectHiddenCode(caller, member);
    if (hidden !== undefined) return hidden;
    const merged = await rejectMerged(tx, businessId, contact_id, reject);
    if (merged !== undefined) return merged;
    const found = await findPageOf(tx, businessId, contact_id);
    const kept = replace === true ? undefined : found && tokenOf(services, businessId, contact_id, found);
    const generation = (found?.generation ?? 0) + 1;
    const token = kept ?? services.pageToken(nameOf(businessId, contact_id, generation));
    if (kept === undefined) {
      await markPasses(tx, businessId, contact_id);
      await putPage(tx, businessId, contact_id, { generation, token_hash: hashSecret(token) });
    }
    // A card that was blocked is replaced by a request for that alone: its finder may have the address, too.
    const isFirst = member.active && !(await hasCard(tx, businessId, contact_id));
    const made = isFirst
      ? await makeCard(tx, { services, caller }, { contact_id, kind: "app" }, undefined)
      : undefined;
    if (made instanceof Rejection) return made as never;
    if (made !== undefined) emit({ contact_ids: [contact_id], data: toldCard(made) });
    // The address itself is not for the audit log.
    const replaced = kept === undefined && found !== undefined;
    const card = made && { card_id: made.card_id };
    audit({ before: { contact_id }, after: { contact_id, replaced, ...card } });
    return { contact_id, page_path: `/card/${businessId}.${token}` };
  },
});

const nameOf = (businessId: number, contactId: number, generation: number) =>
  `${businessId} ${contactId} ${generation}`;

/** The token of a page. @returns undefined when neither secret makes it, or in another installation */
function tokenOf(
  { pageToken, pageTokenBefore }: Pick<Services, "pageToken" | "pageTokenBefore">,
  businessId: number,
  contactId: number,
  { generation, token_hash }: PageRow,
): string | undefined {
  return [pageToken, pageTokenBefore]
    .map((make) => make?.(nameOf(businessId, contactId, generation)))
    .find((token) => token !== undefined && token_hash.equals(hashSecret(token)));
}
