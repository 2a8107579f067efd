/** Lists of cards: print them, block one, replace it, and give an anonymous one to a member. */
/// <reference path="../../../../src/operations/members/jsbarcode.d.ts" />
import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";
import { encode } from "uqr";
import { isUsableCard, readableCode } from "../../../../src/domain/cards.ts";
import { cardsHtml } from "../../../../src/domain/code-pictures.ts";
import type { OperationTableProps, SaveAs } from "../components.ts";
import { download } from "../files/download.ts";
import { type PrintedCard, cardTexts as t } from "../texts/en/cards.ts";

/** The cards that can be used, as a document to print. */
const saveToPrint: SaveAs = (rows, { name, money }) => {
  const cards = (rows as never as readonly PrintedCard[]).filter(isUsableCard);
  const printed = cards.map((card) => ({ code: card.card_code, lines: t.printed(card, name, money) }));
  download("cards.html", "text/html", cardsHtml(t.title, printed, { encode, CODE128 }));
};

/** What the lists share. */
export const cardTable: Partial<OperationTableProps<"/op/cards/list">> = {
  ...{ file: t.print, saveAs: saveToPrint },
  cells: { card_code: ({ card_code }) => readableCode(card_code) },
  buttons: ({ card_code, status, anonymous }) => {
    const fixed = { card_code };
    return [
      anonymous && status === "active" && { path: "/op/cards/claim", fixed },
      status !== "replaced" && { path: "/op/cards/replace", fixed },
      status === "active" && { path: "/op/cards/block", fixed },
    ];
  },
};
