import { fields, readOperation } from "../../../contract/declare.ts";
import { stampCards } from "../../../database/catalog.ts";
import { pick } from "../../records.ts";
import { stampCard } from "../../stamp-cards.ts";

export const getStampCard = readOperation({
  path: "/op/stamp-cards/get",
  role: "viewer",
  summary: "Get a stamp card",
  message: "Stamp card found.",
  description: "Returns one stamp card, also one that has ended.",
  input: { business_id: fields.businessId, stamp_card_id: fields.stampCardId },
  output: stampCard,
  errors: ["stamp_card_not_found"],
  async read({ services: { lookUps }, caller: { businessId }, input, reject }) {
    const found = await stampCards.find(lookUps, businessId, input.stamp_card_id);
    return found === undefined ? reject("stamp_card_not_found") : pick(found, stampCard);
  },
});
