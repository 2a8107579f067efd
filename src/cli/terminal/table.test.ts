import { describe, expect, it } from "vitest";
import { fittingColumns, linesOfRecord, tableLines } from "./table.ts";
import { cutText, pad, type Terminal, widthOf } from "./terminal.ts";

const terminal = (width?: number): Terminal => ({
  interactive: width !== undefined,
  width,
  style: (_style, text) => text,
  line: () => undefined,
  write: async () => undefined,
});

const rows = [
  { contact_id: 7, name: "Ana López", wallet_balance: 1250, active: true, email: null },
  { contact_id: 100_001, name: "小林", wallet_balance: 0, active: false, email: "k@example.com" },
];
const columns = ["contact_id", "name", "wallet_balance", "active", "email"];

describe("a table", () => {
  it("aligns numbers right and text left, and is as wide as its content outside of a terminal", () => {
    expect(tableLines(columns, rows, terminal())).toEqual([
      "contact_id  name       wallet_balance  active  email",
      "         7  Ana López            1250  yes     -",
      "    100001  小林                    0  no      k@example.com",
    ]);
  });

  it("writes names over two lines, then cuts text, where there is less room", () => {
    expect(tableLines(columns, rows, terminal(60))).toEqual(tableLines(columns, rows, terminal()));
    expect(tableLines(columns, rows, terminal(50), 60)).toEqual(tableLines(columns, rows, terminal()));
    expect(tableLines(columns, rows, terminal(50))).toEqual([
      "contact_             wallet_",
      "      id  name       balance  active  email",
      "       7  Ana López     1250  yes     -",
      "  100001  小林             0  no      k@example.c…",
    ]);
  });

  it("keeps a line a record, and ids and numbers whole, where there is too little", () => {
    expect(
      tableLines(["contact_id", "name"], [{ contact_id: 100_001, name: "Maximiliane" }], terminal(10)),
    ).toEqual(["contact_", "      id  name", "  100001  Maxim…"]);
  });

  it("is at most 100 columns wide outside of a terminal, and aligns amounts of money right", () => {
    const long = [
      { name: "x".repeat(150), amount: "1,250.00 EUR" },
      { name: "y", amount: "-5.00 EUR" },
    ];
    const [header, first, second] = tableLines(["name", "amount"], long, terminal());
    expect([header, first, second].map((line) => line?.length)).toEqual([100, 100, 100]);
    expect(second).toMatch(/^y +-5\.00 EUR$/);
  });

  it("breaks the names of columns after underscores only, over more lines where there is less room", () => {
    const narrow = [{ earn_minimum_amount: 5, maximum_points_per_order: 7, name: "Maximiliane" }];
    const names = ["earn_minimum_amount", "maximum_points_per_order", "name"];
    expect(tableLines(names, narrow, terminal(44))).toEqual([
      "earn_minimum_  maximum_points_",
      "       amount        per_order  name",
      "            5                7  Maximiliane",
    ]);
    expect(tableLines(names, narrow, terminal(32))).toEqual([
      "   earn_   maximum_",
      "minimum_    points_",
      "  amount  per_order  name",
      "       5          7  Maximiliane",
    ]);
  });

  it("leaves out the last columns where they don't fit, and adds others where they do", () => {
    const wide = [
      { id: 7, name: "Ana López-Fernández", note: "A long note about her", more: "x", last: "y" },
    ];
    const shown = (width: number) =>
      fittingColumns(["id", "name", "note"], ["more", "last"], wide, terminal(width));
    expect(shown(20)).toEqual(["id", "name"]);
    expect(shown(30)).toEqual(["id", "name", "note"]);
    expect(shown(52)).toEqual(["id", "name", "note", "more"]);
    expect(shown(80)).toEqual(["id", "name", "note", "more", "last"]);
    expect(fittingColumns(["id", "name"], ["more"], wide, terminal())).toEqual(["id", "name"]);
    expect(fittingColumns(["note"], ["more"], wide, terminal(3))).toEqual(["note"]);
  });

  it("shows nothing that a terminal would obey", () => {
    expect(tableLines(["name"], [{ name: "\x1b[2Jgone\n" }], terminal())).toEqual(["name", "�[2Jgone�"]);
  });
});

it("a record is a list of its fields, records in it indented", () => {
  const record = { name: "Till", scopes: ["a", "b"], ids: [], secrets: [{ until: null }], of: { kind: "x" } };
  expect(linesOfRecord(record, terminal())).toEqual([
    "name     Till",
    "scopes   a, b",
    "ids      -",
    "secrets",
    "  until  -",
    "of",
    "  kind  x",
  ]);
});

describe("the width of text", () => {
  it("counts what is seen", () => {
    expect(["abc", "López", "e\u0301", "小林", "👍🏽", ""].map(widthOf)).toEqual([3, 5, 1, 4, 2, 0]);
    expect(cutText("小林さん", 6)).toBe("小林…");
    expect(cutText("abc", 3)).toBe("abc");
    expect(pad("小", 4, "right")).toBe("  小");
  });
});
