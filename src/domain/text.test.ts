import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/support/random-cases.ts";
import {
  fold,
  isBlank,
  isEmail,
  isPhoneNumber,
  isPlainLines,
  isPlainText,
  isPrintableAscii,
  isVisibleAscii,
  lettersOf,
  memberNumber,
  nameKey,
  searchTextOf,
  wordingsOf,
} from "./text.ts";

const anyText = fc.string({ unit: "grapheme" });

describe("fold", () => {
  it.each([
    ["López", "lopez"],
    ["LO\u0301PEZ", "lopez"],
    ["Ñandú", "nandu"],
    ["İstanbul", "istanbul"],
    ["ﬁancé", "fiance"],
    ["ΟΔΥΣΣΕΥΣ", "οδυσσευσ"],
    ["Ａｎａ", "ana"],
    [
      "O\u2019Brien O\u00b4Brien O`Brien O\uff07Brien O\u02bcBrien",
      "o'brien o'brien o'brien o'brien o'brien",
    ],
    ["Nu\u02bbu", "nu'u"],
    ["a\u2010b\u2011c\u2013d\u2014e\u2212f\ufe63g\uff0dh", "a-b-c-d-e-f-g-h"],
    ["\u201cAna\u201d \u00abAna\u00bb", '"ana" "ana"'],
    ["Ga\u0140la", "gal.la"],
    ["Ana\u00ad\u200b\u00a0L", "ana l"],
  ])("%s: %s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("folds a part as it folds the whole, so that a search finds any part of a text", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, part, after) => {
        expect(fold(before + part + after)).toContain(fold(part));
      }),
      { numRuns: runs(1000) },
    );
    expect(fold("ΣΤΑΣΙΣ")).toContain(fold("ΣΤΑΣ"));
  });

  it("takes case and accents for nothing in ASCII names", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z ]*$/), (name) => {
        const accented = name.replace(/[aeiou]/gi, "$&\u0301");
        expect(fold(accented.toUpperCase())).toBe(fold(name.toLowerCase()));
        expect(fold(accented.normalize("NFC"))).toBe(fold(name));
      }),
    );
  });
});

describe("searchTextOf", () => {
  const ana = {
    first_name: "Ana",
    last_name: "López",
    phone_number: "+34600111222",
    email: "Ana@Example.com",
    external_ref: "C-4711",
  };

  it.each(["ana", "pez", "ana lopez", "+34600", "0111", "@example", "c-47"])("holds %j", (search) => {
    expect(searchTextOf(ana)).toContain(fold(search));
  });

  it("holds no match that runs from one part into the next", () => {
    expect(searchTextOf(ana)).not.toContain("lopez+34");
    expect(searchTextOf(ana)).not.toContain("comc");
    const plain = { ...ana, email: null, external_ref: null };
    expect(searchTextOf(plain)).toBe("ana lopez\n+34600111222\n");
  });

  it.each([
    ["太郎", "山田", "山田太郎"],
    ["山田", "太郎", "山田太郎"],
    ["たろう", "ヤマダ", "ヤマダたろう"],
    ["철수", "김", "김철수"],
    ["สมชาย", "ใจดี", "ใจดีสมชาย"],
  ])("holds %s %s written without a blank", (first_name, last_name, search) => {
    expect(searchTextOf({ ...ana, first_name, last_name })).toContain(fold(search));
  });

  it("does not join names of other scripts", () => {
    expect(searchTextOf({ ...ana, first_name: "太郎" })).not.toContain("太郎lopez");
  });
});

describe("isPlainText", () => {
  it.each(["Ana", "Ana María", "李", "👩‍👩‍👧", " padded ", "محمد\u200f", "می\u200cخواهم"])(
    "takes %j",
    (text) => {
      expect(isPlainText(text)).toBe(true);
    },
  );
  it.each([
    "",
    "  ",
    "\u00a0",
    "a\nb",
    "a\tb",
    "a\u0000",
    "a\u007f",
    "a\u0085",
    "a\u2028",
    "\ud800",
    "a\udc00",
    "\u200b\u200d",
    "\ufeff",
    "\u00ad",
    "\u2060 \u3000",
    "\u3164",
    "\u2800",
    "\u200e\u200f\u061c",
    "\u{e0041}",
    ..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069".split("").map((control) => `a${control}b`),
  ])("rejects %j", (text) => {
    expect(isPlainText(text)).toBe(false);
  });

  it("is one line, and plain lines are any number", () => {
    expect(["a\nb", "\na\n"].map(isPlainLines)).toEqual([true, true]);
    expect(["\n", " \n\u200b", "a\r\nb", "a\n\u202e"].map(isPlainLines)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("tells what is blank from what is rejected for its characters", () => {
    expect(["", " ", "\u200b", "\u2800"].map(isBlank)).toEqual([true, true, true, true]);
    expect(["a", "\u0000", "\u202e", "\ud800"].map(isBlank)).toEqual([false, false, false, false]);
  });
});

describe("isPhoneNumber", () => {
  it.each(["+34600111222", "+1234567", "+123456789012345"])("takes %s", (text) => {
    expect(isPhoneNumber(text)).toBe(true);
  });
  it.each([
    "34600111222",
    "+0600111222",
    "+123456",
    "+1234567890123456",
    "+34 600 111 222",
    "+3460011122٢",
    "+34600111222\n",
  ])("rejects %j", (text) => {
    expect(isPhoneNumber(text)).toBe(false);
  });
});

describe("isEmail", () => {
  it.each([
    "ana@example.com",
    "a.b+c@sub.example.co",
    "o'brien@example.org",
    `${"a".repeat(64)}@example.com`,
  ])("takes %s", (text) => {
    expect(isEmail(text)).toBe(true);
  });
  it.each([
    "ana",
    "ana@",
    "@example.com",
    "ana@example",
    "ana@example..com",
    "ana@-example.com",
    "ana lopez@example.com",
    "ana@exämple.com",
    `${"a".repeat(65)}@example.com`,
    `ana@${"a.".repeat(125)}com`,
    "ana@example.com\n",
  ])("rejects %j", (text) => {
    expect(isEmail(text)).toBe(false);
  });

  it("returns at once however hostile the text", () => {
    const hostile = [`${"a@".repeat(30_000)}`, `a@${"a-".repeat(30_000)}`, `a@${"a.".repeat(30_000)}!`];
    expect(hostile.map(isEmail)).toEqual([false, false, false]);
  });
});

it("knows visible ASCII characters", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary-ascii", minLength: 1 }),
        fc.string({ unit: "grapheme", minLength: 1 }),
      ),
      (text) => {
        expect(isVisibleAscii(text)).toBe(
          [...text].every((character) => character > " " && character <= "~"),
        );
      },
    ),
  );
  expect(isVisibleAscii("")).toBe(false);
});

it("knows printable ASCII characters, with blanks inside", () => {
  const characters = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(characters, fc.constantFrom("", " ", "  "), characters, (one, blank, other) => {
      const parts = [one, other].filter((part) => part !== "");
      const isPrintable = [...one, ...other].every((character) => character >= " " && character <= "~");
      const hasBlankEnds = parts.length === 0 || `${one}${blank}${other}` !== `${one}${blank}${other}`.trim();
      expect(isPrintableAscii(`${one}${blank}${other}`)).toBe(isPrintable && !hasBlankEnds);
    }),
  );
  for (const blank of ["", " ", "  "]) expect(isPrintableAscii(blank)).toBe(false);
});

const wordsOf = (search: string) => wordingsOf(search).map(({ words }) => words.join(" "));

it.each([
  ["Ana  López", ["ana lopez"]],
  [" Weiß ", ["weiss"]],
  ["+34600111222", ["+34600111222"]],
  ["600111222", ["600111222"]],
  ["0034600111222", ["0034600111222", "+34600111222"]],
  ["+34 600 111 222", ["+34 600 111 222", "+34600111222"]],
  ["0034 (600) 111-222", ["0034 (600) 111-222", "+34600111222"]],
  ["ana 600 111", ["ana 600 111", "ana 600111"]],
  ["600 ana 111", ["600 ana 111"]],
  ["00", ["00"]],
  ["0012", ["0012", "+12"]],
  ["-", ["-"]],
  ["a-1", ["a-1"]],
  ["López, Ana", ["lopez ana"]],
  ["山田、太郎", ["山田、太郎"]],
  ["Smith,", ["smith"]],
  [",", [","]],
  ["12,5", ["12,5"]],
])("reads %j as %j", (search, wordings) => {
  expect(wordsOf(search)).toEqual(wordings);
});

it.each([
  ["101999", 101999],
  ["Member 101999", 101999],
  ["#101999", 101999],
  ["member #101999 ", 101999],
  ["0101999", undefined],
  ["Members 101999", undefined],
  ["Ana 101999", undefined],
  ["1234567890123456", undefined],
])("reads %j as the number of a member: %j", (search, number) => {
  expect(memberNumber(search)).toBe(number);
});

it.each([
  ["Sévrine Dupnt", ["sevrine", "dupnt"]],
  ["Li, Ana", ["ana"]],
  ["ana +34600", ["ana"]],
  ["one two three four", ["one", "two", "three"]],
  ["!!! 山田太郎", ["山田太郎"]],
])("compares of %j the words %j with names", (search, words) => {
  expect(lettersOf(search)).toEqual(words);
});

it("adds a wording with the phone number that is read", () => {
  const read = (text: string) => `+33${text.replace("-", "").replace(/^0/, "")}`;
  const words = (search: string) => wordingsOf(search, read).map(({ words }) => words.join(" "));
  expect(words("ana 06 12-34")).toEqual(["ana 06 12-34", "ana 061234", "ana +3361234"]);
  // The digits alone find as many members.
  expect(words("ana 612")).toEqual(["ana 612"]);
});

it("knows the numbers that begin with 0", () => {
  const zeros = (search: string) => wordingsOf(search).map(({ zeros }) => zeros);
  expect(zeros("ana 06 12 60")).toEqual([["06"], ["061260"]]);
  expect(zeros("0a +06 a0")).toEqual([[]]);
  expect(zeros("+34 600 012")).toEqual([[], []]);
});

it.each([
  ["iglesias", ["iglesias"]],
  ["ana lopez", ["lopez", "ana"]],
  ["+34600111222", ["111222"]],
  ["member.495686@example.com", ["r.495686"]],
  ["a@example.com", ["mple.com"]],
  ["@example", ["@example"]],
  ["io", []],
  ["a.b.c", []],
  ["one three four five", ["three", "four", "five"]],
])("looks up of %j the parts %j", (search, parts) => {
  expect(wordingsOf(search)[0]?.indexed).toEqual(parts);
});

it("looks up parts of the words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (search) => {
      for (const { words, indexed } of wordingsOf(search)) {
        for (const part of indexed) expect(words.some((word) => word.includes(part))).toBe(true);
      }
      const typed = fold(search).split(/\s+/u).join(" ").trim();
      expect(wordsOf(search)[0]).toBe(typed.replace(/(?<=[^ ,\u3001][^ ]*),+(?= |$)/gu, ""));
    }),
  );
});

it("finds a phone number however its digits are grouped", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
  const gaps = fc.array(fc.constantFrom("", " ", "-", ".", "  "), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(digits, gaps, fc.constantFrom("+", "00", "+ ", "00 "), (number, between, prefix) => {
      const written = prefix + [...number].map((digit, index) => digit + between[index]).join("");
      expect(wordsOf(written.trim()).at(-1)).toBe(`+${number}`);
    }),
  );
});

describe("the key of a name", () => {
  it.each([
    ["İI ıi", "ii ii"],
    ["ẞ ß SS ss", "ss ss ss ss"],
    ["ΣΑΣ σας", "σασ σασ"],
    ["Ａｎｎａ", "anna"],
    ["  Anna ", "anna"],
    ["Jose\u0301", "josé"],
    ["\u212a", "k"],
  ])("of %j is %j", (name, key) => expect(nameKey(name)).toBe(key));

  it("is the same in every case and normal form, for every character", () => {
    for (let code = 0x20; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const name = String.fromCodePoint(code);
      const key = nameKey(name);
      const others = [name.toUpperCase(), name.toLowerCase(), name.normalize("NFD"), key];
      if (others.some((other) => nameKey(other) !== key)) expect.fail(`U+${code.toString(16)}`);
    }
  });
});
