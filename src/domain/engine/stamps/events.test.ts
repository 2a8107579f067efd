/** The events of a card that a decision changed. */
import { expect, it } from "vitest";
import { heldVoucher } from "../../../../test/support/vouchers.ts";
import type { HeldVoucher } from "../../records.ts";
import { newCard } from "./cards.ts";
import { eventsOfCard } from "./events.ts";

const voucher = (held_voucher_id: number, stamps_used: number | null = 10) =>
  heldVoucher({ held_voucher_id, stamp_card_id: 1, stamps_used });
const events = (
  stamps: [before: number | undefined, after: number],
  issued: HeldVoucher[] = [],
  returned: HeldVoucher[] = [],
  sale_id?: number,
) => {
  const [before, after] = stamps.map((one) =>
    one === undefined ? undefined : { ...newCard(1), stamps: one },
  );
  return eventsOfCard({ before, after: after ?? newCard(1), issued, returned }, sale_id);
};
const stamped = (change: number, stamps: number, stamps_owed = 0) => ({
  type: "stamp_card.stamped",
  data: { stamp_card_id: 1, change, stamps, stamps_owed },
});

it("say how many stamps were added or taken off, also those in vouchers, and which vouchers a full card gave", () => {
  expect(events([undefined, 3])).toEqual([stamped(3, 3)]);
  expect(events([3, 1])).toEqual([stamped(-2, 1)]);
  expect(events([1, -2])).toEqual([stamped(-3, 0, 2)]);
  expect(events([9, 2], [voucher(5)])).toEqual([
    stamped(3, 2),
    {
      type: "stamp_card.completed",
      data: { stamp_card_id: 1, completed: 1, stamps: 2, held_voucher_ids: [5] },
    },
  ]);
  expect(events([0, -1], [voucher(5), voucher(6)]).map(({ data }) => data)).toMatchObject([
    { change: 19, stamps: 0, stamps_owed: 1 },
    { completed: 2, stamps: 0, held_voucher_ids: [5, 6] },
  ]);
});

it("say that vouchers were taken back, also if the sum of stamps is the same", () => {
  expect(events([0, 7], [], [voucher(5)])).toEqual([stamped(-3, 7)]);
  expect(events([-10, 0], [], [voucher(5)])).toEqual([stamped(0, 0)]);
  expect(events([0, 0], [], [voucher(5, null)])).toEqual([stamped(0, 0)]);
});

it("are none if nothing changed but the dates, and name the sale", () => {
  expect(events([3, 3])).toEqual([]);
  const [first, second] = events([9, 0], [voucher(5)], [], 77);
  expect([first, second]).toMatchObject([{ data: { sale_id: 77 } }, { data: { sale_id: 77 } }]);
  expect(events([0, 1])[0]?.data).not.toHaveProperty("sale_id");
});
