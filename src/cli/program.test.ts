/** The table of commands against that of the operations. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { auditEventsOf, bodyOf, type CheckContext, type Operation } from "../contract/operation.ts";
import { validatorOf } from "../contract/validation.ts";
import type { Connection } from "../database/connection.ts";
import { addressPolicy } from "../domain/webhooks/addresses.ts";
import { picture } from "../http/wallet/picture.ts";
import { operatorOperations, partnerOperations } from "../operations/operations.ts";
import { requestBody } from "./operations/operation-command.ts";
import { createCommandLine } from "./program.ts";
import { commandOfPath, fullFlagOf, hasCommandOfItsOwn } from "./service/command-names.ts";

function find(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    program,
  );
}

function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(" "), command]];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

/** What help shows, the examples at its end included. */
function helpOf(command: Command, width = 80): string {
  const texts: string[] = [];
  command
    .configureOutput({ writeOut: (text) => texts.push(text), getOutHelpWidth: () => width })
    .outputHelp();
  return texts.join("");
}

/** The examples of a help page, as the words that a shell makes of them. */
function examplesIn(help: string): string[][] {
  const lines =
    help
      .split(/\nExamples?:\n/)[1]
      ?.trimEnd()
      .split("\n") ?? [];
  return lines.map((line) =>
    [...line.replace(/ > \S+$/, "").matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? (match[3] as string),
    ),
  );
}

// One for all tests: to make it takes longer than to look at it.
const program = createCommandLine();

it("has a command for every operation of the operator", () => {
  const missing = operatorOperations.filter(({ path }) => find(program, commandOfPath(path)) === undefined);
  expect(missing.map(({ path }) => path)).toEqual([]);
  const derived = operatorOperations.filter(({ path }) => !hasCommandOfItsOwn(path));
  expect(new Set(derived.map(({ path }) => commandOfPath(path).join(" "))).size).toBe(derived.length);
});

it("has every command that its own advice names", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
  const advised = sources.flatMap((text) => [
    ...text.matchAll(/: loyalty ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g),
  ]);
  expect(advised.length).toBeGreaterThan(10);
  const missing = advised.filter(([, noun = "", verb]) => {
    const group = program.commands.find((one) => one.name() === noun || one.aliases().includes(noun));
    if (group === undefined) return true;
    return verb !== undefined && group.commands.length > 0 && find(group, [verb]) === undefined;
  });
  expect(missing.map(([text]) => text)).toEqual([]);
});

it("explains what the contract's names mean", () => {
  const helpAt = (words: string) => {
    const command = find(program, words.split(" ")) as Command;
    return helpOf(command).replace(/\s+/g, " ");
  };
  expect(helpAt("engine status")).toContain("points_amount The maximum value of these points.");
  expect(helpAt("reward-settings get")).toContain("enable_rp Whether reward points are on");
  expect(helpAt("reward-settings update")).toMatch(/--rp-sales-calculation-period <number> How far back/);
});

/** A database that knows every time zone, and in which every time is possible. */
const sql = (async () => [{ possible: true }]) as unknown as Connection;
const checkContext = {
  sql,
  services: { lookUps: sql, webhookAddresses: addressPolicy([443, 80], []) },
  businessId: 0,
  country: null,
  rejected: new Set(),
  events: auditEventsOf(operatorOperations),
  paths: new Set(partnerOperations.map(({ path }) => path)),
} as unknown as CheckContext;

describe.each(leaves(program))("%s", (words, command) => {
  it("has no option of its own that all commands have", () => {
    const ofAll = program.options.map(({ long }) => long);
    expect(command.options.filter(({ long }) => ofAll.includes(long))).toEqual([]);
  });

  it.each([40, 80])("has help that fits a terminal of %i columns", (width) => {
    const [help = ""] = helpOf(command, width).split(/\n(?:Examples?|Fields|The )/);
    const [, ...lines] = help.split("\n");
    // A longer word can't be broken, nor can an option.
    const isText = (line: string) => !/^\s*(?:-\S+(?:, -\S+)?(?: <[^>]+>)?|\S+)$/.test(line);
    expect(lines.filter((line) => line.length > width && isText(line))).toEqual([]);
  });

  it("says what it does, and shows examples that begin with it", () => {
    const help = helpOf(command);
    expect(command.summary()).toMatch(/^[A-Z].*[^.]$/);
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    for (const option of command.options) expect(option.description, option.long).not.toBe("");
    const examples = help.split(/\nExamples?:\n/)[1] ?? "";
    expect(examples).toContain(`loyalty ${words}`);
  });
});

const folder = mkdtempSync(join(tmpdir(), "loyalty-examples-"));
afterAll(() => rmSync(folder, { recursive: true }));
/** A word of an example; the file that it names, if it names one. */
function existing(word: string): string {
  if (!/^[\w-]+\.(?:png|p12|json)$/.test(word)) return word;
  const path = join(folder, word);
  writeFileSync(path, picture(64, [0, 0, 0]));
  return path;
}

const generated = operatorOperations.filter(({ path }) => !hasCommandOfItsOwn(path));

describe.each(generated.map((operation): [string, Operation] => [operation.path, operation]))(
  "the command of %s",
  (path, operation) => {
    const command = find(program, commandOfPath(path)) as Command;

    it("has examples that the operation accepts", async () => {
      const examples = examplesIn(helpOf(command));
      expect(examples.length).toBeGreaterThan(0);
      const validate = validatorOf(bodyOf(operation));
      for (const words of examples) {
        const own = words.slice(1 + commandOfPath(path).length).map(existing);
        command.action(() => undefined).parse(own, { from: "user" });
        const body: Record<string, unknown> = requestBody(operation, command.opts());
        if (operation.kind === "write" || operation.kind === "posting") body.idempotency_key = "a-key";
        expect(validate(body).failures, words.join(" ")).toEqual([]);
        expect((await operation.check?.(body, checkContext)) ?? []).toEqual([]);
        if (operation.atLeastOneOf)
          expect(Object.keys(body)).toContainEqual(expect.toBeOneOf([...operation.atLeastOneOf]));
      }
    });

    it("speaks of commands, and not of paths and values of the API", () => {
      expect(helpOf(command)).not.toMatch(/\/op\/|\bnull\b/);
    });

    it("has an option for every field, also under the field's full name", () => {
      const properties = Object.keys(bodyOf(operation).properties);
      const own = ["all", "wide", "columns", "csv", "yes"];
      const shown = command.options.filter(({ hidden }) => !hidden).map((option) => option.attributeName());
      expect(new Set(shown.filter((name) => !own.includes(name))).size).toBe(properties.length);
      const flags = command.options.map(({ long }) => long);
      for (const field of properties) expect(flags).toContain(fullFlagOf(field));
    });

    it("asks before what is hard to take back", () => {
      const asks = command.options.some(({ long }) => long === "--yes");
      expect(asks).toBe(
        /(?:delete|erase|deactivate|disable|imports\/cancel|rotate-secret|businesses\/update|sales\/refund|members\/merge|keys\/revoke|operators\/reset|promotions\/end|stamp-cards\/end|occasions\/end|cards\/replace|cards\/block|cards\/claim|bulk-grants\/start)$/.test(
          path,
        ),
      );
    });
  },
);
