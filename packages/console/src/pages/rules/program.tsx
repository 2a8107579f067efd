/** The form of a program, and what it gives in words. */
import { Alert } from "@mantine/core";
import type { DataOf, WritePath } from "../../api/index.ts";
import { type Row, useBusiness, Words } from "../../components.ts";
import { programText, texts } from "../../texts/index.ts";
import { usePreview } from "./preview.tsx";

type Program = Partial<DataOf<"/op/programs/list">>;

/** What a program does with some lines. */
export function ProgramWords({ otherwise = "", ...program }: Program & Readonly<{ otherwise?: string }>) {
  const { money, currency_decimals } = useBusiness();
  return <Words>{programText(program, money, 10 ** (currency_decimals + 1)) || otherwise}</Words>;
}

/** Sentences that follow what is written in the form. */
export function useProgramForm(path: WritePath, initial?: Row) {
  const cost = usePreview(path);
  const preview = (request: object) => [
    <Alert key="words">
      <ProgramWords {...initial} {...request} otherwise={texts.programs.noRates} />
    </Alert>,
    <div key="cost">{cost.preview(request)}</div>,
  ];
  return { ...cost, preview };
}
