import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { listAllCards } from "../../../database/members/cards.ts";
import { cardKey } from "../../../domain/cards.ts";
import { money } from "../../amounts.ts";
import { card, cardKind, cardStatus, giftValidThrough, writtenCardCode } from "../../members/cards.ts";

export const listCardsForOperator = listOperation({
  path: "/op/cards/list",
  role: "viewer",
  summary: "List cards",
  message: "Cards listed.",
  description:
    "Lists the cards of a business, newest first: all of them, those of a kind or a status, the anonymous ones, those made from a day on, or " +
    "the one with a code.",
  columns: ["card_code", "kind", "status", "contact_id", "wallet", "valid_through", "created_at"],
  input: {
    business_id: fields.businessId,
    card_code: Type.Optional(writtenCardCode),
    kind: Type.Optional(cardKind),
    status: Type.Optional(cardStatus),
    start_date: Type.Optional(fields.day("Lists only cards that were made on this day or later.")),
    anonymous: fields.option("Whether to list only anonymous cards."),
  },
  output: Type.Object({
    ...card.properties,
    anonymous: fields.flag("Whether no person has claimed it.", true),
    wallet: fields.nullable(money("Its money", 5000), "The money of an anonymous card, in minor units."),
    valid_through: giftValidThrough,
  }),
  errors: [],
  list: ({ sql, services: { scans }, caller, input: { card_code, ...filter }, page }) =>
    listAllCards({ sql, scans }, caller, { ...filter, code: card_code && cardKey(card_code) }, page),
});
