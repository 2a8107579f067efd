/** What the service declares about its operations: their fields, warnings, columns and roles. */
import type { Declaration, Field, Fields, Outline } from "../../../../tools/console/declaration.ts";
import type { Operations } from "../generated/operations.ts";
import { outlines } from "./outlines.ts";

export type Path = keyof Operations;
export type RequestOf<P extends Path> = Operations[P]["request"];
export type DataOf<P extends Path> = Operations[P]["data"];
/** What a page knows: the numbers of its business, and of its record. */
type Known<P extends Path> = keyof RequestOf<P> &
  `${"business" | "contact" | "sale" | "import" | "promotion" | "stamp_card" | "integration" | "endpoint"}_id`;
/** A request to which the page adds what it knows. */
export type Asked<P extends Path> = Omit<RequestOf<P>, Known<P>> & Partial<Pick<RequestOf<P>, Known<P>>>;
export type PathOf<Kind> = { [P in Path]: Operations[P]["kind"] extends Kind ? P : never }[Path];
export type ReadPath = PathOf<"read">;
export type ListPath = PathOf<"list">;
export type WritePath = PathOf<"write" | "posting">;

export type { Declaration, Field, Fields };

export const roles = ["viewer", "support", "manager", "owner"] as const;

/** What is known of every operation. `reads` and `writes` have the rest. */
export const outlineOf = (path: Path): Outline => outlines[path] as Outline;

/** A segment is saved on the page of members, and an integration begins with its kind. */
const madeElsewhere: readonly Path[] = ["/op/segments/list", "/op/integrations/list"];

/** The operation whose form the page of a list has, for a new record. */
export function creationOf(list: Path): WritePath | undefined {
  if (madeElsewhere.includes(list)) return undefined;
  const path = list === "/op/cards/list" ? "/op/cards/issue" : list.replace(/list$/, "create");
  return path !== list && path in outlines ? (path as WritePath) : undefined;
}
