/** The texts about members that filters find, the filters that are saved, and what is given to many at once. */
import { countedText, wholeText } from "../decimals.ts";

const members = (count: number) => countedText(count, "member", "members");

export const segmentTexts = {
  title: "Segments",
  explanation:
    "Filters that you saved, with the members who match now. To add one, filter the page Members and save the filters.",
  empty: "There are no segments yet. Set filters on the page Members, and save them.",
  found: members,
  start: "Give it",
};

export const bulkGrantTexts = {
  progress: (done: number, all: number) => `${wholeText(done)} of ${members(all)}`,
  title: "Bulk grants",
  explanation:
    "Points and vouchers for many members at once. To give some, filter the page Members. It goes on after you leave the page.",
  empty:
    "Nothing was given to many members yet. Choose members on the page Members, and give all of them something.",
} as const;
