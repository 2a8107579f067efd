/** The name of an operation's command: its path, with the noun in the singular. */

/** Nouns that end in an s and are no plurals, or are one thing of a business. */
const unchanged = new Set(["reward-settings", "status"]);

function singular(noun: string): string {
  if (unchanged.has(noun) || !noun.endsWith("s")) return noun;
  return noun.endsWith("sses") ? noun.slice(0, -2) : noun.slice(0, -1);
}

/** Operations that are used by a hand-written command. */
const commandsOfTheirOwn: Readonly<Record<string, readonly string[]>> = {
  "/op/imports/members": ["import", "members"],
  "/op/imports/sales": ["import", "sales"],
  "/op/exports/members": ["export", "members"],
  "/op/exports/sales": ["export", "sales"],
  "/op/exports/transactions": ["export", "transactions"],
  "/op/ledger/verify": ["verify"],
  "/op/status/get": ["status"],
};

/** Whether an operation has a hand-written command. */
export function hasCommandOfItsOwn(path: string): boolean {
  return path in commandsOfTheirOwn;
}

/** The words of an operation's command: /op/businesses/create is `business create`. */
export function commandOfPath(path: string): readonly string[] {
  const [, , noun = "", ...verb] = path.split("/");
  return commandsOfTheirOwn[path] ?? [singular(noun), verb.join("-")];
}

/** The plural noun of a path, which also works as a command. */
export function pluralOf(path: string): string {
  return path.split("/")[2] as string;
}
