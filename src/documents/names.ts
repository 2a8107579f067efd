/** The names by which the documents call things. */
import type { Operation } from "../contract/operation.ts";

/** `member_not_found` or `members/profile/update` in PascalCase. */
export function componentName(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** An operation's path without its prefix, in PascalCase: MembersProfileUpdate. */
export function operationName({ path }: Operation): string {
  return componentName(path.split("/").slice(2).join("/"));
}

/** The same in camelCase, as operationId: membersProfileUpdate. */
export function operationId(operation: Operation): string {
  const name = operationName(operation);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
