/** Lists of cards: block one, replace it, and give an anonymous one to a member. */
import { readableCode } from "../../../../src/domain/cards.ts";
import type { OperationTableProps } from "../components.ts";
import { cardTexts as t } from "../texts/en-cards.ts";

/** What the lists share. */
export const cardTable: Pick<OperationTableProps<"/op/cards/list">, "cells" | "buttons"> = {
  cells: { card_code: ({ card_code }) => readableCode(card_code) },
  buttons: ({ card_code, status, anonymous }) => {
    const of = { of: readableCode(card_code), fixed: { card_code } };
    return [
      anonymous && status === "active" && { path: "/op/cards/claim", label: t.claim, ...of },
      status !== "replaced" && { path: "/op/cards/replace", label: t.replace, ...of },
      status === "active" && { path: "/op/cards/block", label: t.block, ...of },
    ];
  },
};
