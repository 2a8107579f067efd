/**
 * Shared by the imports. A request carries a chunk of a file's lines. Each line has a digest, and a digest is
 * imported once. A rejected line does not stop the other lines, so fields are checked here, line by line, and
 * not with the request.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { ErrorCode, FieldErrorCode } from "../contract/errors.ts";
import { validatorOf } from "../contract/validation.ts";
import { balanceLimit } from "../domain/ledger.ts";

export const mostLines = 2000;
/** The longest text of a field that a request may carry. Fields have shorter limits of their own. */
export const longestText = 1000;
/** Two thousand lines with long names and references fit in. */
export const importBodyBytes = 4 * 1024 * 1024;

const lineNumber = Type.Integer({
  minimum: 1,
  maximum: balanceLimit,
  description: "The number of the line in the file; rejections name it.",
  examples: [2],
});

const digest = Type.String({
  minLength: 32,
  maxLength: 32,
  pattern: "^[0-9a-f]{32}$",
  description: "128 bits in hex that identify the line: a line whose digest is already imported is skipped.",
  examples: ["9e107d9d372bb6826bd81d3542a419d6"],
});

const unreadable = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 20,
  description:
    "Fields that the file has and that the caller can't read. The other fields are checked, so that all reasons are " +
    "known at once, and the line is not imported.",
  examples: [[]],
});

export const dryRun = Type.Boolean({
  default: false,
  description: "Checks every line and reports the result, but imports none.",
  examples: [false],
});

interface LineName {
  readonly line: number;
  readonly digest: string;
  readonly unreadable?: readonly string[];
}

/** The lines of a request. The schema has only the types of a line's own fields; the rest is checked later. */
export function linesOf<Fields extends TProperties>(fields: TObject<Fields>) {
  const open = mapValues(fields.properties as TProperties, typeOnly);
  const line = {
    type: "object",
    properties: { line: lineNumber, digest, unreadable, ...open },
    required: ["line", "digest"],
    additionalProperties: false,
  };
  return Type.Array(Type.Unsafe<LineName & Static<TObject<Fields>>>(line), {
    minItems: 1,
    maxItems: mostLines,
    description: `The lines, up to ${mostLines}.`,
  });
}

/** Bounds wider than any field's: a value beyond them is a mistake of the caller, not of the file. */
function typeOnly(schema: TSchema): object {
  const { type, description, examples } = schema as unknown as Record<string, unknown>;
  if (type === "string") return { type, maxLength: longestText, description, examples };
  return { type, minimum: -balanceLimit, maximum: balanceLimit, description, examples };
}

function mapValues<From, To>(object: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** Why a line is not imported. */
export interface Rejection {
  readonly line: number;
  /** Empty for the line as a whole. */
  readonly field: string;
  readonly code: RejectionCode;
  readonly message: string;
  /** With amount_differs: the amount that was imported. */
  readonly imported?: number;
}

type RejectionCode =
  | FieldErrorCode
  | "amount_differs"
  | Extract<
      ErrorCode,
      "member_not_found" | "member_already_exists" | "location_not_found" | "balance_limit_exceeded"
    >;

/** @param problem completes a sentence that begins with the field's name */
export function rejection(line: LineName, field: string, code: RejectionCode, problem: string): Rejection {
  return { line: line.line, field, code, message: `${field === "" ? "The line" : field} ${problem}.` };
}

/** A line with a known reference, and an amount other than the one that was imported. */
export function amountDiffers(
  line: LineName,
  field: string,
  reference: string,
  { given, imported }: { readonly given: number; readonly imported: number },
): Rejection {
  const problem = `is ${given}, but ${reference} was imported with ${imported}`;
  return { ...rejection(line, field, "amount_differs", problem), imported };
}

/** The result of a chunk. */
export const importResult = Type.Object({
  imported: Type.Integer({
    minimum: 0,
    maximum: mostLines,
    description: "How many lines were imported, or would be.",
    examples: [1998],
  }),
  skipped: Type.Integer({
    minimum: 0,
    maximum: mostLines,
    description: "How many lines were already imported.",
    examples: [1],
  }),
  rejected: Type.Array(
    Type.Object({
      line: lineNumber,
      field: Type.String({
        maxLength: 100,
        description: "The field that is wrong; empty for the line as a whole.",
        examples: ["phone_number"],
      }),
      code: Type.String({
        maxLength: 50,
        description:
          "Why, for programs: a code of validation_failed or of an error, or amount_differs when the reference was " +
          "imported with another amount.",
        examples: ["member_not_found"],
      }),
      message: Type.String({
        maxLength: 500,
        description: "Why, for people.",
        examples: ["phone_number names no member."],
      }),
      imported: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: balanceLimit,
          description: "With amount_differs: the amount with which the reference was imported.",
          examples: [2500],
        }),
      ),
    }),
    { maxItems: 20 * mostLines, description: "All reasons of all lines that are rejected." },
  ),
});

export type ChunkResult = Static<typeof importResult>;

/** A line whose fields were checked. */
export interface CheckedLine<Line> {
  /** Without the fields that are wrong, so that the others can be looked up. */
  readonly line: Line;
  /** Whether a field is missing or wrong: the line is not imported. */
  readonly bad: boolean;
  readonly rejections: readonly Rejection[];
}

/**
 * Makes the function that checks the lines of a chunk, without the database.
 * @param fields the schema of a line's own fields, in full
 * @param check finds what the schema can't express; `has` says whether the file has a field, right or wrong
 */
export function lineChecker<Fields extends TProperties>(
  fields: TObject<Fields>,
  check: (line: LineName, has: (field: string) => boolean) => Rejection[],
) {
  type Line = LineName & Static<TObject<Fields>>;
  const schema = Type.Object(
    { line: lineNumber, digest, ...(fields.properties as TProperties) },
    { additionalProperties: false },
  );
  const validator = validatorOf(schema as TObject);
  const checkLine = ({ unreadable = [], ...line }: Line): CheckedLine<Line> => {
    const failures = validator.read(line).failures.filter(({ field }) => !unreadable.includes(field));
    const more = check(line, (field) => field in line || unreadable.includes(field));
    const rejections = [...failures.map((failure) => ({ line: line.line, ...failure })), ...more];
    if (rejections.length === 0 && unreadable.length === 0)
      return { line: line as Line, bad: false, rejections };
    const wrong = new Set(rejections.map(({ field }) => field));
    const right = Object.entries(line).filter(([field]) => !wrong.has(field));
    return { line: Object.fromEntries(right) as Line, bad: true, rejections };
  };

  return (lines: readonly Line[]): CheckedLine<Line>[] => lines.map(checkLine);
}
