import { expect, it } from "vitest";
import { inOptions } from "./option-words.ts";

it.each([
  ["leave sale_status out in columns.", "leave the column out with --column sale_status=."],
  ["Name the column by its number in columns.", "Name the column by its number with --column FIELD=1."],
  ["add defaults of line_amount, such as 0.", "add --default line_amount=0."],
  ["add defaults of last_name, such as -.", "add --default last_name=-."],
])("says %j as %j", (text, words) => expect(inOptions(text)).toBe(words));
