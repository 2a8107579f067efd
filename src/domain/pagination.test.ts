import fc from "fast-check";
import { expect, it } from "vitest";
import { maximumPerPage, offsetOf, paginate } from "./pagination.ts";

const perPage = fc.integer({ min: 1, max: maximumPerPage });

it("walks a list of any length without a gap or an overlap", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 250 }), perPage, (list, size) => {
      const seen: number[] = [];
      let last = 1;
      for (let page = 1; page <= last; page++) {
        const request = { page, perPage: size };
        const rows = list.slice(offsetOf(request), offsetOf(request) + size);
        const pagination = paginate(request, list.length, rows.length);
        last = pagination.last_page;
        expect(pagination).toMatchObject({ total: list.length, per_page: size, current_page: page });
        expect(list.slice(Math.max(0, pagination.from - 1), pagination.to)).toEqual(rows);
        seen.push(...rows);
      }
      expect(seen).toEqual(list);
    }),
  );
});

it("returns nothing for a page past the last, from 0 to 0", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1000 }), perPage, fc.integer({ min: 1, max: 1000 }), (total, size, beyond) => {
      const last = Math.max(1, Math.ceil(total / size));
      expect(paginate({ page: last + beyond, perPage: size }, total, 0)).toEqual({
        total,
        per_page: size,
        current_page: last + beyond,
        last_page: last,
        from: 0,
        to: 0,
      });
    }),
  );
});

it("gives an empty list one empty page", () => {
  expect(paginate({ page: 1, perPage: 15 }, 0, 0)).toEqual({
    total: 0,
    per_page: 15,
    current_page: 1,
    last_page: 1,
    from: 0,
    to: 0,
  });
});
