/** The form of a program, and what its rates give in words. */
import { Alert } from "@mantine/core";
import type { DataOf, WritePath } from "../../api/index.ts";
import { type Row, useBusiness, Words } from "../../components.ts";
import { rateText, texts } from "../../texts/index.ts";
import { usePreview } from "./preview.tsx";

type Program = Partial<DataOf<"/op/programs/list">>;

export function RateWords({ rates = [] }: Program) {
  const { money, currency_decimals } = useBusiness();
  const words = rates.map((rate) => rateText(rate, money, 10 ** (currency_decimals + 1)));
  return <Words>{words.join("\n")}</Words>;
}

/** Sentences that follow what is written in the form. */
export function useProgramForm(path: WritePath, initial?: Row) {
  const cost = usePreview(path);
  const preview = (request: object) => {
    const program: Program = { ...initial, ...request };
    return (
      <>
        <Alert>{program.rates?.length ? <RateWords {...program} /> : texts.programs.noRates}</Alert>
        {cost.preview(request)}
      </>
    );
  };
  return { ...cost, preview };
}
