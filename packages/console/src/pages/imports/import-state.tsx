/** What the pages of imports share. */
import { Badge } from "@mantine/core";
import {
  type ImportName,
  isRunning,
  type ImportState as State,
} from "../../../../../src/domain/import-jobs.ts";
import { declarationOf } from "../../api/declarations.ts";
import { texts } from "../../texts/en.ts";

/** What a line of a file can have. */
export const lineFields = (kind: ImportName) =>
  declarationOf(`/op/imports/${kind}`).input.lines?.items?.properties ?? {};

const colours: { readonly [Each in State]?: string } = { checked: "orange", ended: "teal", failed: "red" };

/** The state in words. */
export function ImportState({ state }: { readonly state: State }) {
  const color = isRunning(state) ? "blue" : (colours[state] ?? "gray");
  return (
    <Badge variant="dot" tt="none" miw="max-content" {...{ color }}>
      {texts.imports.states[state]}
    </Badge>
  );
}
