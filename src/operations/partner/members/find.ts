import { fields, Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { findCard } from "../../../database/members/cards.ts";
import { findMemberWithTier } from "../../../database/members/progress.ts";
import { withoutDirectionMarks } from "../../../domain/text.ts";
import { lookUpCard, rejectUnusable, writtenCardCode } from "../../members/cards.ts";
import { checkPhoneNumber, memberDetails, writtenPhoneNumber } from "../../members/members.ts";
import { readPhoneNumber } from "../../members/phone-numbers.ts";
import { pick } from "../../records.ts";
import { balances } from "../../sales/sales.ts";

export const findMemberOperation = readOperation({
  path: "/sp/members/find",
  scope: "wa.members.read",
  summary: "Find a member",
  message: "Member found.",
  description:
    "Returns the member who has this phone number, e-mail address, external reference or card, active or not. To search for " +
    "a part of a name or number, use /sp/members/list. With card_code, the response has the balances of the member if the " +
    "integration has the scope wa.wallet.read, so that a till needs no further request.",
  operator: {
    role: "viewer",
    summary: "Find a member by phone, e-mail or card",
    description:
      "Returns the member who has this phone number, e-mail address, external reference or card, active or not. With " +
      "card_code, the response has the balances. To search for a part of a name or number, use /op/members/list.",
  },
  input: {
    phone_number: Type.Optional(writtenPhoneNumber),
    email: Type.Optional(fields.email),
    external_ref: Type.Optional(fields.writtenExternalRef),
    card_code: Type.Optional(writtenCardCode),
  },
  atLeastOne: true,
  onlyOneOf: ["phone_number", "email", "external_ref", "card_code"],
  output: Type.Object({
    ...memberDetails.properties,
    balances: Type.Optional(balances),
  }),
  errors: ["member_not_found", "card_not_found", "card_blocked"],
  check: ({ phone_number }, { country }) => checkPhoneNumber(phone_number, country),
  async read({ services, caller, input: { card_code, ...input }, reject }) {
    const { businessId } = caller;
    const card =
      card_code === undefined
        ? undefined
        : await lookUpCard({ services, caller }, card_code, (key) => findCard(services.lookUps, caller, key));
    if (card instanceof Rejection) return card as never;
    const rejected = card && rejectUnusable(card);
    if (rejected !== undefined) return rejected;
    const phone_number = input.phone_number && readPhoneNumber(input.phone_number, caller.country);
    const external_ref = input.external_ref && withoutDirectionMarks(input.external_ref);
    const sought = { email: input.email, phone_number, external_ref, contact_id: card?.contact_id };
    const found = await findMemberWithTier(services.lookUps, businessId, sought);
    if (found === undefined) return reject("member_not_found");
    const member = pick(found, memberDetails);
    if (card === undefined || !caller.mayUse("wa.wallet.read")) return member;
    const settled = await services.members.find(services.lookUps, {
      businessId,
      contactId: found.contact_id,
    });
    return settled === undefined ? member : { ...member, balances: settled.balances };
  },
});
