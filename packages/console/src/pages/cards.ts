/** Lists of cards: print them, block one, replace it, and give an anonymous one to a member. */
/// <reference path="../../../../src/operations/members/jsbarcode.d.ts" />
import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";
import { encode } from "uqr";
import { isUsableCard, readableCode } from "../../../../src/domain/cards.ts";
import { cardsHtml } from "../../../../src/domain/code-pictures.ts";
import type { OperationTableProps, SaveAs } from "../components.ts";
import { download } from "../files/download.ts";
import { type PrintedCard, cardTexts as t } from "../texts/en/cards.ts";

/** More cards would be too much for the print of a browser. */
const mostInFile = 500;

/** The cards that can be used, as documents to print. */
const saveToPrint: SaveAs = (rows, { name, money }) => {
  const cards = (rows as never as readonly PrintedCard[]).filter(isUsableCard);
  const printed = cards.map((card) => ({ code: card.card_code, lines: t.printed(card, name, money) }));
  for (let first = 0; first < printed.length; first += mostInFile) {
    const some = printed.slice(first, first + mostInFile);
    const file = first === 0 ? "cards.html" : `cards-${first + 1}.html`;
    download(file, "text/html", cardsHtml(t.title, some, { encode, CODE128 }));
  }
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
