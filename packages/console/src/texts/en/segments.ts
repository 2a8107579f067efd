/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
import { countedText } from "../decimals.ts";

const members = (count: number) => countedText(count, "member", "members");
const points = (count: number) => countedText(count, "point", "points");

export const segmentTexts = {
  title: "Segments",
  explanation: "Filters of members that were saved. Whom they find is looked up each time.",
  empty: "There are no segments yet. Set filters on the page Members, and save them.",
  rename: "Rename",
  save: "Save as a segment",
  found: members,
  give: "Give to all of them",
  only: "Members that are inactive get nothing.",
  start: "Give it",
  preview: "What this comes to",
  previewed: (count: number, given: number, worth: number | null, money: (amount: number) => string) =>
    [
      given > 0 ? `${members(count)} get ${points(given)} together.` : `${members(count)} get a voucher.`,
      worth === null ? "Its worth depends on the sale." : `At most, that is worth ${money(worth)}.`,
    ].join(" "),
};

export const bulkGrantTexts = {
  title: "Bulk grants",
  explanation:
    "Points and vouchers that were given to many members at once. It goes on when you leave the page.",
  empty:
    "Nothing was given to many members yet. Choose members on the page Members, and give all of them something.",
  cancel: "Cancel",
  resume: "Go on",
} as const;
