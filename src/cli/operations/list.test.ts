import { describe, expect, it } from "vitest";
import { operatorOperations } from "../../operations/operator.ts";
import { allColumnsOf, shownColumnsOf } from "./list.ts";

const lists = operatorOperations.filter(({ kind }) => kind === "list");

describe.each(lists.map((list) => [list.path, list] as const))("the table of %s", (_path, list) => {
  it("has at most seven columns, which the list has", () => {
    const columns = shownColumnsOf(list);
    expect(columns.length).toBeLessThanOrEqual(7);
    expect(allColumnsOf(list)).toEqual(expect.arrayContaining([...columns]));
  });
});
