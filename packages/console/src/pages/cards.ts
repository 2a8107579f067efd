/** Lists of cards: print them, block one, replace it, and give an anonymous one to a member. */
/// <reference path="../../../../src/operations/members/jsbarcode.d.ts" />
import { CODE128 } from "jsbarcode/bin/barcodes/CODE128/index.js";
import { encode } from "uqr";
import { isUsableCard, readableCode } from "../../../../src/domain/cards.ts";
import { cardsHtml } from "../../../../src/domain/code-pictures.ts";
import type { OperationTableProps, SaveAs } from "../components.ts";
import { download } from "../files/download.ts";
import { type PrintedCard, type PrintedVoucher, cardTexts as t } from "../texts/en/cards.ts";

/** More cards would be too much for the print of a browser. */
const mostInFile = 500;

/** Saves codes with what is written beside each, as documents to print. */
function print(name: string, title: string, cards: Parameters<typeof cardsHtml>[1]) {
  for (let first = 0; first < cards.length; first += mostInFile) {
    const file = first === 0 ? `${name}.html` : `${name}-${first + 1}.html`;
    const some = cards.slice(first, first + mostInFile);
    download(file, "text/html", cardsHtml(title, some, { encode, CODE128 }));
  }
}

const saveCards: SaveAs = (rows, { name, money }) => {
  const cards = (rows as never as readonly PrintedCard[]).filter(isUsableCard);
  const printed = cards.map((card) => ({ code: card.card_code, lines: t.printed(card, name, money) }));
  print("cards", t.title, printed);
};

export const saveVouchers: SaveAs = (rows, { name, money }) => {
  const held = (rows as never as readonly PrintedVoucher[]).filter(({ status }) => status === "held");
  const printed = held.map((one) => ({ code: one.coupon_code, lines: t.printedVoucher(one, name, money) }));
  print("vouchers", t.vouchers, printed);
};

/** What the lists share. */
export const cardTable: Partial<OperationTableProps<"/op/cards/list">> = {
  ...{ file: t.print, saveAs: saveCards },
  cells: { card_code: ({ card_code }) => readableCode(card_code) },
  buttons: ({ card_code, status, anonymous }) => [
    anonymous && status === "active" && { path: "/op/cards/claim", fixed: { card_code } },
    status !== "replaced" && { path: "/op/cards/replace", fixed: { card_code } },
    status === "active" && { path: "/op/cards/block", fixed: { card_code } },
  ],
};
