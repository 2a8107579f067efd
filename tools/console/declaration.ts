/** What the console knows about an operation: the build makes it, and forms and tables read it. */

/** A field of a request or a response. */
export interface Field {
  readonly type: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly string[];
  /** What each choice means, if the words for it don't say it. */
  readonly meanings?: Readonly<Record<string, string>>;
  readonly format?: string;
  /** The name of its label, if other fields with its name mean something else. */
  readonly label?: string;
  /** The fields that a text can name. People write the label of one. */
  readonly names?: readonly string[];
  /** "entry": points in an entry of the points account, and money in others. "hundredths": a factor. */
  readonly unit?: "minor_units" | "points" | "entry" | "hundredths";
  /** The time zone of a time that is not in that of the business. */
  readonly zone?: string;
  /** A secret that only this response has. */
  readonly shownOnce?: true;
  /** The kinds of files that have its value. */
  readonly file?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly nullable?: true;
  readonly optional?: true;
  /** It is asked for while other fields have one of these values. */
  readonly askedIf?: Readonly<Record<string, readonly string[]>>;
  /** The part of the form, if it has parts. */
  readonly part?: string;
  /** A choice of the form that is not sent. */
  readonly local?: true;
  readonly items?: Field;
  readonly properties?: Fields;
}

export type Fields = Readonly<Record<string, Field>>;

type Role = "viewer" | "support" | "manager" | "owner";

/** What every page knows of an operation. */
export interface Outline {
  readonly kind: "read" | "list" | "write" | "posting" | "session";
  readonly summary: string;
  /** The least role that may use it. */
  readonly role?: Role;
  /** The names of the fields of its request. */
  readonly takes: readonly string[];
  /** It warns before every request, such as that it can't be undone. */
  readonly warns?: true;
  /** Of the list of all records of a kind: the field that has the number of one. Forms and tables name the record instead. */
  readonly names?: string;
}

export interface Declaration extends Outline {
  /** The text of a success, such as "Tier created." Of a write. */
  readonly message?: string;
  /** A warning before the request, for all requests or by a field. */
  readonly confirm?: string | Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  /** Of the check of a file: the options by what its lines are. */
  readonly optionsByKind?: Readonly<Record<string, readonly string[]>>;
  readonly atLeastOneOf?: readonly string[];
  readonly exactlyOneOf?: readonly string[];
  readonly onlyOneOf?: readonly string[];
  readonly input: Fields;
  /** Of a log, which is a read: the name of the list in its response, and the fields of an item. */
  readonly log?: Readonly<{ items: string; fields: Fields }>;
  /** Of a list or a log: the fields of its request, as filters. */
  readonly filters?: Fields;
  readonly output: Field;
}
