/** What commands ask before they do something that is hard to take back. */
import type { Operation } from "../../contract/operation.ts";
import { type OperatorClient, pagesOf } from "../service/client.ts";
import { commandOfPath, type Fields, nameOf, operationAt, pluralOf, subjectField } from "./command-names.ts";

/** What a command changes for good, or for everybody at once; undefined when it does not ask first. */
export function consequenceOf({ path }: Operation, body: Fields): string | undefined {
  if (path === "/op/tiers/delete") return "This can't be undone. Its members have no tier then.";
  if (/\/(?:delete|erase|rotate-secret)$/.test(path)) return "This can't be undone.";
  if (path === "/op/members/deactivate")
    return "The member can't be debited or credited until it is activated.";
  if (path === "/op/businesses/update" && "currency" in body)
    return "Amounts that are already recorded keep their number and get this currency.";
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
  const subject = await named(client, pluralOf(operation.path), subjectField(operation) ?? "", body);
  const text = `${words}${verb === "rotate-secret" ? " of" : ""} ${noun.replaceAll("-", " ")} ${subject}`;
  if (noun === "business" || body.business_id === undefined) return text;
  return `${text}, of business ${await named(client, "businesses", "business_id", body)}`;
}

/** An id with the name of its record, if it is found. @param noun the plural of the record's noun */
async function named(client: OperatorClient, noun: string, field: string, body: Fields): Promise<string> {
  const id = body[field];
  const scope = noun === "businesses" ? {} : { business_id: body.business_id };
  const describe = (record: Fields) => [id, nameOf(record)].filter((part) => part !== "").join(", ");
  if (operationAt(`/op/${noun}/get`) !== undefined)
    return describe((await client.call<Fields>(`/op/${noun}/get`, { ...scope, [field]: id })).data);
  for await (const { data } of pagesOf<Fields>(client, `/op/${noun}/list`, scope)) {
    const found = data.find((record) => record[field.replace(/^sandbox_/, "")] === id);
    if (found !== undefined) return describe(found);
  }
  return String(id);
}
