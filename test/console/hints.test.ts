/** The hints of the fields in forms: they say what a person writes, and not what a program sends. */
import { expect, it } from "vitest";
import type { Field, Fields } from "../../packages/console/src/api/declarations.ts";
import { helpOf } from "../../packages/console/src/texts/help.ts";
import { choiceOf, choiceText, labelOf, noneText } from "../../packages/console/src/texts/labels.ts";
import { auditEventsOf } from "../../src/contract/operation.ts";
import { operatorOperations, partnerOperations } from "../../src/operations/operations.ts";
import { consoleDeclarations } from "../../tools/console/declarations.ts";

/** The fields of a request, and those of the records inside. */
const withParts = (fields: Fields): [string, Field][] =>
  Object.entries(fields).flatMap(([name, field]) => [
    [name, field] as [string, Field],
    ...withParts({ ...field.properties, ...field.items?.properties }),
  ]);

const all = Object.values(consoleDeclarations()).flatMap((declaration) =>
  withParts((declaration as { input: Fields }).input),
);

it("know neither minor units nor null nor the names of fields", () => {
  expect(all.length).toBeGreaterThan(300);
  const wrong = all
    .map(([name, field]) => `${name}: ${helpOf(name, field)}`)
    .filter((hint) => /minor unit|\bnull\b|: .*[a-z]_[a-z]|\/sp\//.test(hint));
  expect([...new Set(wrong)]).toEqual([]);
});

it("call choices what the inputs call them, and say nothing about true and false", () => {
  const wrong = all.flatMap(([name, field]) => {
    const values = (field.enum ?? field.items?.enum ?? []).filter((value) => choiceText(value) !== value);
    const hint = helpOf(name, field);
    const isRaw = values.some((value) => hint.includes(`${value}:`)) || /\b(?:true|false)\b/.test(hint);
    return isRaw ? [`${name}: ${hint}`] : [];
  });
  expect([...new Set(wrong)]).toEqual([]);
  const earnOn = all.find(([name]) => name === "earn_on")?.[1] as Field;
  expect(helpOf("earn_on", earnOn)).toMatch(/^Paid: .* Total: /);
});

it("go with labels that are no names of fields, also in the audit log", () => {
  const names = Object.values(consoleDeclarations()).flatMap((declaration) => {
    const { kind, input, output } = declaration as { kind: string; input: Fields; output: Field };
    const isWrite = kind === "write" || kind === "posting";
    return isWrite ? withParts({ ...input, ...output.properties }).map(([name]) => name) : [];
  });
  expect(names.length).toBeGreaterThan(300);
  const wrong = names.filter((name) => / (?:id|no|at)$/.test(labelOf(name, "details_")));
  expect([...new Set(wrong)]).toEqual([]);
  const events = auditEventsOf([...partnerOperations, ...operatorOperations]).map((event) =>
    choiceText(event),
  );
  expect(events.filter((event) => /operator|topup|session|settled/i.test(event))).toEqual([
    "Operator key created",
    "Operator key revoked",
    "Operator key rejected",
    "Operator key replaced",
  ]);
});

it("stay sentences without the words for programs", () => {
  const hint = (description: string) => helpOf("unknown", { description });
  expect(hint("Sales below this amount, in minor units, earn nothing.")).toBe(
    "Sales below this amount earn nothing.",
  );
  expect(hint("Amount in minor units of the business's currency (cents).")).toBe("Amount.");
  expect(hint("A program. With null, sales earn nothing.")).toBe(
    "A program. Without it, sales earn nothing.",
  );
  expect(hint("A tier, or null for none.")).toBe("A tier, or empty for none.");
  expect(hint("Set it with points_validity.")).toBe("Set it with “Points are valid for”.");
  expect(hint("The sale, by the sale_id from /sp/sales/record.")).toBe("The sale.");
});

it("say of records of which there are none on which page to add one", () => {
  const lists = Object.entries(consoleDeclarations()).flatMap(([, { names }]) => (names ? [names] : []));
  expect(lists.length).toBeGreaterThan(8);
  const fields = [...new Set(all.map(([name]) => name))].filter((name) =>
    lists.includes(name.replace(/^default_/, "").replace(/ids$/, "id")),
  );
  expect(fields).toContain("default_program_id");
  expect(fields.filter((name) => !noneText(name).startsWith("There are none yet."))).toEqual([]);
});

it("put what a scope means before its code, and the word for a role before what it means", () => {
  const scope = choiceOf("wa.sales.write", "scopes", {}, "Record sales.");
  expect(scope).toEqual({ value: "wa.sales.write", label: "Record sales.", description: "wa.sales.write" });
  const role = choiceOf("support", "role", {}, "Corrects balances.");
  expect(role).toEqual({ value: "support", label: "Support", description: "Corrects balances." });
});
