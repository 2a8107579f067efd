/** What the pages of imports share. */
import { Badge } from "@mantine/core";
import { type ImportName, type ImportState, isRunning } from "../../../../../src/domain/imports/jobs.ts";
import { writes } from "../../api/writes.ts";
import { importTexts } from "../../texts/en-imports.ts";

/** What a line of a file can have. */
export const lineFields = (kind: ImportName) =>
  writes[`/op/imports/${kind}`].input.lines?.items?.properties ?? {};

const colours: Partial<Record<ImportState, string>> = { checked: "orange", ended: "teal", failed: "red" };

/** The state in words. */
export function ImportBadge({ state }: { readonly state: ImportState }) {
  const color = isRunning(state) ? "blue" : (colours[state] ?? "gray");
  const text = importTexts.states[state];
  return (
    <Badge variant="dot" tt="none" miw="max-content" color={color}>
      {text}
    </Badge>
  );
}
