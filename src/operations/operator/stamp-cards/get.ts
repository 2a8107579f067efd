import { readStampCards } from "../../promotions/stamp-cards.ts";

export const getStampCard = readStampCards.get({
  path: "/op/stamp-cards/get",
  summary: "Get a stamp card",
  message: "Stamp card found.",
  description: "Returns one stamp card, also one that has ended.",
});
