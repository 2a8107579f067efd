/** What the service declares about its operations: their fields, warnings, columns and roles. */
import type { Operations } from "../generated/operations.ts";
import { declared } from "./declared.ts";

export type Path = keyof Operations;
export type RequestOf<P extends Path> = Operations[P]["request"];
export type DataOf<P extends Path> = Operations[P]["data"];
/** A request to which the page adds its business. */
export type Asked<P extends Path> = Omit<RequestOf<P>, "business_id"> & {
  readonly business_id?: number | undefined;
};
export type PathOf<Kind> = { [P in Path]: Operations[P]["kind"] extends Kind ? P : never }[Path];
export type ReadPath = PathOf<"read">;
export type ListPath = PathOf<"list">;
export type WritePath = PathOf<"write" | "posting">;

/** A field of a request or a response. */
export interface Field {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly string[];
  /** What each choice means, if the words for it don't say it. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly format?: string;
  /** "entry": points in an entry of the points account, and money in others. */
  readonly unit?: "minor_units" | "points" | "entry";
  /** The time zone of a time that is not in that of the business. */
  readonly zone?: string;
  /** A secret that only this response has. */
  readonly shownOnce?: true;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly nullable?: true;
  readonly optional?: true;
  readonly items?: Field;
  readonly properties?: Fields;
}

export type Fields = Readonly<Record<string, Field>>;

export const roles = ["viewer", "support", "manager", "owner"] as const;
export type Role = (typeof roles)[number];

export interface Declaration {
  readonly kind: "read" | "list" | "write" | "posting";
  readonly summary: string;
  readonly description: string;
  /** The text of a success, such as "Tier created." */
  readonly message: string;
  /** The least role that may use it. */
  readonly role?: Role;
  /** A warning before the request, for all requests or by a field. */
  readonly confirm?: string | Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  /** Of the check of a file: the options by what its lines are. */
  readonly optionsByKind?: Readonly<Record<string, readonly string[]>>;
  readonly atLeastOneOf?: readonly string[];
  readonly exactlyOneOf?: readonly string[];
  readonly onlyOneOf?: readonly string[];
  readonly input: Fields;
  readonly output: Field;
}

export function declarationOf(path: Path): Declaration {
  return declared[path] as Declaration;
}

/** The fields of a response, or of one item of it. */
export function outputOf(path: Path): Fields {
  const { output } = declarationOf(path);
  return (output.type === "array" ? output.items?.properties : output.properties) ?? {};
}
