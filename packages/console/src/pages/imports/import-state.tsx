/** What the pages of imports share. */
import { Badge } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ImportName, ImportState as State } from "../../../../../src/domain/import-jobs.ts";
import { declarationOf } from "../../api/declarations.ts";
import { texts } from "../../texts/en.ts";

/** What a line of a file can have. */
export const lineFields = (kind: ImportName) =>
  declarationOf(`/op/imports/${kind}`).input.lines?.items?.properties ?? {};

export const isRunning = (state: State) => state === "checking" || state === "importing";

const colours: { readonly [Each in State]?: string } = { checked: "orange", ended: "teal", failed: "red" };
const refreshMilliseconds = 1000;

type ImportStateProps = Readonly<{ path: "/op/imports/list" | "/op/imports/get"; state: State }>;

/** The state in words. While a job is under way, what the page shows is read again. */
export function ImportState({ path, state }: ImportStateProps) {
  const client = useQueryClient();
  const runs = isRunning(state);
  useEffect(() => {
    if (!runs) return;
    const refresh = () => {
      // A session that is used does not end, so nothing is read while nobody looks at the page.
      if (!document.hidden) void client.invalidateQueries({ queryKey: [path] }, { cancelRefetch: false });
    };
    const timer = setInterval(refresh, refreshMilliseconds);
    return () => clearInterval(timer);
  }, [runs, path, client]);
  return (
    <Badge variant="dot" tt="none" miw="max-content" color={runs ? "blue" : (colours[state] ?? "gray")}>
      {texts.imports.states[state]}
    </Badge>
  );
}
