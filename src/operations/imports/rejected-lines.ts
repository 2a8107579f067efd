/** The rejected lines of an import, as an operation returns them. */
import { fields, Type } from "../../contract/declare.ts";
import { balanceLimit } from "../../domain/ledger.ts";

/** The lines of one response. */
export const mostAtOnce = 1000;

const content = (description: string) =>
  fields.returnedText(6_000_000, description, "QzEsMjAyNi0wMi0zMCwxMi41MA==");

/** Rejected lines, with the header of their file. */
export const rejectedLines = Type.Object({
  header: fields.nullable(
    content("The header line, in base64."),
    "The header line, in base64, or null without one.",
  ),
  lines: Type.Array(
    Type.Object({
      line: fields.identifier("The number of the line in the file.", 17),
      reasons: Type.Array(
        Type.Object({
          field: fields.returnedText(100, "The invalid field; empty for the line as a whole.", "sold_at"),
          message: fields.returnedText(2000, "The reason.", "sold_at must not be in the future."),
        }),
        { maxItems: 100, description: "All reasons." },
      ),
      line_bytes: fields.personal(content("The bytes of the line in the file, in base64.")),
    }),
    { maxItems: mostAtOnce, description: "The lines, in their order." },
  ),
  next_after_line: fields.nullable(
    fields.whole(1, balanceLimit, "A line.", 17),
    "Send it as after_line to get the next lines; null at the end.",
  ),
});
