/** The record that an operation changes: the field that names it, and its name for people. */
import type { Operation } from "../../contract/operation.ts";
import { maximumPerPage } from "../../domain/pagination.ts";
import { operatorOperations } from "../../operations/operator.ts";
import type { OperatorClient } from "../service/client.ts";
import { commandOfPath } from "./command-names.ts";

/** The field whose id may stand without its option: the first id that is required besides the business. */
export function subjectField({ path, kind, input }: Operation): string | undefined {
  if (kind === "list" || path.endsWith("/create")) return undefined;
  const ids = (input.required ?? []).filter((field) => field.endsWith("_id"));
  return (
    ids.find((field) => field !== "business_id") ?? (/^\/op\/businesses\//.test(path) ? ids[0] : undefined)
  );
}

/** What a command changes for good, or for everybody at once; undefined when it does not ask first. */
export function consequenceOf(
  { path }: Operation,
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  if (path === "/op/tiers/delete") return "This can't be undone. Its members have no tier then.";
  if (/\/(?:delete|erase|rotate-secret)$/.test(path)) return "This can't be undone.";
  if (path === "/op/members/deactivate")
    return "The member can't be debited or credited until it is activated.";
  if (path === "/op/businesses/update" && "currency" in body) {
    return "Amounts that are already recorded keep their number and get this currency.";
  }
  return undefined;
}

/** Whether some request to an operation has a consequence to ask about. */
export function mayAsk(operation: Operation): boolean {
  return consequenceOf(operation, { currency: "" }) !== undefined;
}

/** What a command would do, for a question: "Delete integration 5, Till, of business 1, Café Aurora". */
export async function actionText(
  client: OperatorClient,
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  const [noun = "", verb = ""] = commandOfPath(operation.path);
  const field = subjectField(operation);
  const { business_id: business } = body;
  const id = field === undefined ? undefined : body[field];
  const words = `${verb.charAt(0).toUpperCase()}${verb.slice(1).replaceAll("-", " ")}`;
  const subject = await named(client, { noun: operation.path.split("/")[2] ?? "", field, id, business });
  const text = `${words}${verb === "rotate-secret" ? " of" : ""} ${noun.replaceAll("-", " ")} ${subject}`;
  if (noun === "business" || business === undefined) return text;
  const of = await named(client, {
    noun: "businesses",
    field: "business_id",
    id: business,
    business: undefined,
  });
  return `${text}, of business ${of}`;
}

interface Subject {
  /** The plural, as in paths. */
  readonly noun: string;
  readonly field: string | undefined;
  readonly id: unknown;
  readonly business: unknown;
}

/** An id with the name of its record, if it is found. */
async function named(client: OperatorClient, subject: Subject): Promise<string> {
  const name = nameOf(await findRecord(client, subject));
  return name === "" ? String(subject.id) : `${String(subject.id)}, ${name}`;
}

type Fields = Readonly<Record<string, unknown>>;

async function findRecord(client: OperatorClient, { noun, field, id, business }: Subject): Promise<Fields> {
  if (field === undefined) return {};
  const scope = business === undefined ? {} : { business_id: business };
  const one = `/op/${noun}/get`;
  if (operatorOperations.some(({ path }) => path === one)) {
    return (await client.call<Fields>(one, { ...scope, [field]: id })).data;
  }
  const own = field.replace(/^sandbox_/, "");
  for (let page = 1, last = 1; page <= last; page += 1) {
    const body = { ...scope, page, per_page: maximumPerPage };
    const { data, meta } = await client.call<Fields[]>(`/op/${noun}/list`, body);
    const found = data.find((record) => record[own] === id);
    if (found !== undefined) return found;
    last = (meta.pagination as { last_page: number }).last_page;
  }
  return {};
}

/** The name of a record; empty if it has none. */
export function nameOf({
  name,
  membership_name,
  campaign_name,
  title,
  first_name,
  last_name,
}: Fields): string {
  const found = name ?? membership_name ?? campaign_name ?? title;
  return typeof found === "string" ? found : [first_name, last_name].filter(Boolean).join(" ");
}
