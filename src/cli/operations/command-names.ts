/** The names of commands, and of the records that they change. */
import type { Operation } from "../../contract/operation.ts";
import { operatorOperations } from "../../operations/operator.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";

type Fields = Readonly<Record<string, unknown>>;

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

/** The field whose id may stand without its option: the first id that is required besides the business. */
export function subjectField({ path, kind, input }: Operation): string | undefined {
  if (kind === "list" || path.endsWith("/create")) return undefined;
  const ids = (input.required ?? []).filter((field) => field.endsWith("_id"));
  return (
    ids.find((field) => field !== "business_id") ?? (path.startsWith("/op/businesses/") ? ids[0] : undefined)
  );
}

/** What a command changes for good, or for everybody at once; undefined when it does not ask first. */
export function consequenceOf({ path }: Operation, body: Fields): string | undefined {
  if (path === "/op/tiers/delete") return "This can't be undone. Its members have no tier then.";
  if (/\/(?:delete|erase|rotate-secret)$/.test(path)) return "This can't be undone.";
  if (path === "/op/members/deactivate")
    return "The member can't be debited or credited until it is activated.";
  if (path === "/op/businesses/update" && "currency" in body) {
    return "Amounts that are already recorded keep their number and get this currency.";
  }
  return undefined;
}

/** What a command would do, for a question: "Delete integration 5, Till, of business 1, Café Aurora". */
export async function actionText(
  client: OperatorClient,
  operation: Operation,
  body: Fields,
): Promise<string> {
  const [noun = "", verb = ""] = commandOfPath(operation.path);
  const words = `${verb.charAt(0).toUpperCase()}${verb.slice(1).replaceAll("-", " ")}`;
  const field = subjectField(operation) ?? "";
  const subject = await named(client, { noun: pluralOf(operation.path), field, body });
  const text = `${words}${verb === "rotate-secret" ? " of" : ""} ${noun.replaceAll("-", " ")} ${subject}`;
  if (noun === "business" || body.business_id === undefined) return text;
  return `${text}, of business ${await named(client, { noun: "businesses", field: "business_id", body })}`;
}

/** A record, by the plural of its noun, the field of its id, and the request that has the id. */
interface Subject {
  readonly noun: string;
  readonly field: string;
  readonly body: Fields;
}

/** An id with the name of its record, if it is found. */
async function named(client: OperatorClient, subject: Subject): Promise<string> {
  const id = String(subject.body[subject.field]);
  const name = nameOf(await findRecord(client, subject));
  return name === "" ? id : `${id}, ${name}`;
}

async function findRecord(client: OperatorClient, { noun, field, body }: Subject): Promise<Fields> {
  const { business_id, [field]: id } = body;
  const scope = noun === "businesses" ? {} : { business_id };
  const one = `/op/${noun}/get`;
  if (operatorOperations.some(({ path }) => path === one)) {
    return (await client.call<Fields>(one, { ...scope, [field]: id })).data;
  }
  const own = field.replace(/^sandbox_/, "");
  for await (const { data } of pagesOf<Fields>(client, `/op/${noun}/list`, scope)) {
    const found = data.find((record) => record[own] === id);
    if (found !== undefined) return found;
  }
  return {};
}

/** The name of a record; empty if it has none. */
export function nameOf(record: Fields): string {
  const { name, membership_name, campaign_name, title, first_name, last_name } = record;
  const found = name ?? membership_name ?? campaign_name ?? title;
  return typeof found === "string" ? found : [first_name, last_name].filter(Boolean).join(" ");
}
