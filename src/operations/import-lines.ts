/**
 * What the imports have in common: a chunk of a file's lines comes in one request, each line with a digest by
 * which it is never imported twice. A line that is refused keeps no other out, so that fields are not checked
 * with the request but here, line by line.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { ErrorCode, FieldErrorCode } from "../contract/errors.ts";
import { validatorOf } from "../contract/validation.ts";
import { balanceLimit } from "../domain/ledger.ts";

const mostLines = 2000;
/** Two thousand lines with long names and references fit in. */
export const importBodyBytes = 4 * 1024 * 1024;

const lineNumber = Type.Integer({
  minimum: 1,
  maximum: balanceLimit,
  description: "Its number in the file, by which a refusal names it.",
  examples: [2],
});

const digest = Type.String({
  minLength: 32,
  maxLength: 32,
  pattern: "^[0-9a-f]{32}$",
  description: "128 bits in hex that stand for the line: a line with a digest already imported is skipped.",
  examples: ["9e107d9d372bb6826bd81d3542a419d6"],
});

export const dryRun = Type.Boolean({
  default: false,
  description: "Checks every line and answers what would happen, but imports none.",
  examples: [false],
});

interface LineName {
  readonly line: number;
  readonly digest: string;
}

/** The lines of a request; of a line's own fields the schema says the type only, the rest is checked later. */
export function linesOf<Fields extends TProperties>(fields: TObject<Fields>) {
  const open = mapValues(fields.properties as TProperties, typeOnly);
  const line = {
    type: "object",
    properties: { line: lineNumber, digest, ...open },
    required: ["line", "digest"],
    additionalProperties: false,
  };
  return Type.Array(Type.Unsafe<LineName & Static<TObject<Fields>>>(line), {
    minItems: 1,
    maxItems: mostLines,
    description: `The lines, up to ${mostLines}.`,
  });
}

/** Bounds that no sound field passes; a field beyond them is a caller's mistake and no line's. */
function typeOnly(schema: TSchema): object {
  const { type, description, examples } = schema as unknown as Record<string, unknown>;
  if (type === "string") return { type, maxLength: 1000, description, examples };
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
}

type RejectionCode =
  | FieldErrorCode
  | Extract<
      ErrorCode,
      "member_not_found" | "member_already_exists" | "location_not_found" | "balance_limit_exceeded"
    >;

/** @param problem completes a sentence that begins with the field's name */
export function rejection(line: LineName, field: string, code: RejectionCode, problem: string): Rejection {
  return { line: line.line, field, code, message: `${field === "" ? "The line" : field} ${problem}.` };
}

/** What came of a chunk. */
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
    description: "How many lines had been imported before.",
    examples: [1],
  }),
  rejected: Type.Array(
    Type.Object({
      line: lineNumber,
      field: Type.String({
        maxLength: 100,
        description: "What is wrong with it; empty for the line as a whole.",
        examples: ["phone_number"],
      }),
      code: Type.String({
        maxLength: 50,
        description: "Why, for programs: a code of validation_failed or of an error.",
        examples: ["member_not_found"],
      }),
      message: Type.String({
        maxLength: 500,
        description: "Why, for people.",
        examples: ["phone_number names no member."],
      }),
    }),
    { maxItems: 20 * mostLines, description: "Every failure of every line that was not imported." },
  ),
});

/** The lines of a chunk, sorted by what is known without the database. */
export interface CheckedLines<Line> {
  readonly sound: readonly Line[];
  /** Further lines with the digest of one before. */
  readonly repeated: number;
  readonly rejected: readonly Rejection[];
}

/**
 * Makes the function that checks the lines of a chunk.
 * @param fields the schema of a line's own fields, in full
 * @param check what that schema can't say
 */
export function lineChecker<Fields extends TProperties>(
  fields: TObject<Fields>,
  check: (line: LineName & Static<TObject<Fields>>) => Rejection[],
) {
  type Line = LineName & Static<TObject<Fields>>;
  const validator = validatorOf(
    Type.Object(
      { line: lineNumber, digest, ...(fields.properties as TProperties) },
      {
        additionalProperties: false,
      },
    ) as TObject,
  );
  const failures = (line: Line): Rejection[] => {
    const found = validator.failures({ ...line });
    return found.length === 0 ? check(line) : found.map((failure) => ({ line: line.line, ...failure }));
  };

  return (lines: readonly Line[]): CheckedLines<Line> => {
    const sound: Line[] = [];
    const rejected: Rejection[] = [];
    const seen = new Set<string>();
    let repeated = 0;
    for (const line of lines) {
      const found = failures(line);
      if (found.length > 0) rejected.push(...found);
      else if (seen.has(line.digest)) repeated += 1;
      else {
        seen.add(line.digest);
        sound.push(line);
      }
    }
    return { sound, repeated, rejected };
  };
}
