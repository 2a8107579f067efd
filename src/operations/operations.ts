/** All operations, by their folders. */
import type { AuthorizedOperation, Operation, PartnerOperation } from "../contract/operation.ts";
import { forOperators } from "./for-operators.ts";
import * as ofOperators from "./operator.ts";
import * as ofPartners from "./partner.ts";

const firstVerbs = ["create", "issue", "record", "upload", "topup", "replace", "list", "get", "update"];
const lastVerbs = ["end", "disable", "enable", "revoke", "reset", "erase", "delete"];

/** The place of an operation in its folder: what makes something is first, and what ends it is last. */
export function placeInFolder({ path }: Operation): number {
  const verb = path.slice(path.lastIndexOf("/") + 1);
  return firstVerbs.includes(verb)
    ? firstVerbs.indexOf(verb) - firstVerbs.length
    : lastVerbs.indexOf(verb) + 1;
}

const folderOf = ({ path }: Operation) => path.slice(0, path.lastIndexOf("/"));

function inOrder(one: Operation, other: Operation): number {
  if (folderOf(one) !== folderOf(other)) return folderOf(one) < folderOf(other) ? -1 : 1;
  return placeInFolder(one) - placeInFolder(other) || (one.path < other.path ? -1 : 1);
}

export const partnerOperations: readonly PartnerOperation[] = Object.values(ofPartners).toSorted(inOrder);

/** Those of operators, and those that partners' operations declare for them. */
export const operatorOperations: readonly Operation[] = [
  ...Object.values(ofOperators),
  ...Object.values<PartnerOperation>(ofPartners).filter(hasVariant).map(forOperators),
].toSorted(inOrder);

function hasVariant(operation: PartnerOperation): operation is AuthorizedOperation {
  return "operator" in operation && operation.operator !== undefined;
}
