/** What other rules would have given on the sales of the last months. */

import { Alert, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Fields, type WritePath } from "../../api/index.ts";
import { writes } from "../../api/writes.ts";
import { FailureAlert, Loading, Parts, RecordTable, useBusiness } from "../../components.ts";
import { comparisonRows, dayAfter, dayText, texts } from "../../texts/index.ts";
import { type Comparison, changedRules, compareRules } from "./changed-rules.ts";

const days = 90;
const path = "/op/rules/preview";

/**
 * Makes a form that can only be sent after its preview was shown.
 */
export function usePreview(path: WritePath) {
  // A form that has a text here can be sent without a preview. A new program changes nothing by itself, for example.
  const suggestion = (texts.rules.suggestions as Readonly<Record<string, string>>)[path];
  const [wanted, want] = useState<string>();
  const { data, error, refetch, isFetching } = useComparison(wanted);
  const { input } = writes[path];
  const rulesOf = (request: object) => {
    const { business_id: _, ...change } = request as Readonly<Record<string, unknown>>;
    // The form says what is missing.
    const isComplete = Object.entries(input).every(
      ([name, field]) => field.optional || field.local || name === "business_id" || name in change,
    );
    const isChanged = Object.keys(change).some((name) => input[name]?.optional || !name.endsWith("_id"));
    return isComplete && isChanged ? { rules: changedRules(path, change) } : undefined;
  };
  return {
    preview: (request: object) => {
      const found = rulesOf(request);
      if (found === undefined) return null;
      if (found.rules === undefined) return <Alert title={texts.rules.notPreviewed} />;
      const change = JSON.stringify(found.rules);
      if (change === wanted && isFetching) return <Loading />;
      if (change === wanted && error) return <FailureAlert error={error} onRetry={() => void refetch()} />;
      if (change === wanted && data) return <Outcome {...data} />;
      return (
        <Alert title={suggestion ?? texts.rules.previewFirst}>
          <Button {...{ size: "xs", onClick: () => want(change), children: texts.rules.preview }} />
        </Alert>
      );
    },
    canSubmit: (request: object) => {
      const { rules } = rulesOf(request) ?? {};
      const isShown = data !== undefined && wanted === JSON.stringify(rules);
      return rules === undefined || suggestion !== undefined || isShown;
    },
  };
}

/** @param change the other rules, as JSON */
function useComparison(change: string | undefined) {
  const { business_id } = useBusiness();
  return useQuery({
    queryKey: [path, business_id, change],
    queryFn: async ({ signal }) => {
      // Without a day, the report is of the day of the business, also on the clock of a sandbox.
      const { data: owed } = await call("/op/reports/liabilities", { business_id }, { signal });
      const from = dayAfter(owed.on, 1 - days);
      const request = { business_id, from, ...JSON.parse(String(change)) };
      return { from, owed: owed.points, ...(await compareRules(request, signal)) };
    },
    ...{ enabled: change !== undefined, retry: false, gcTime: 0, staleTime: "static" },
  });
}

/** Numbers, some with a currency. */
const side = { type: "number" } as const;
const sides: Fields = { what: { type: "string" }, current: side, proposed: side };

/** @param props with the points that members have, which are worth something else by another value of points */
function Outcome({ from, owed, ...comparison }: Comparison & Readonly<{ from: string; owed: number }>) {
  const { sales, gains, losses } = comparison;
  const rows = comparisonRows(comparison, owed, useBusiness().money);
  const t = texts.rules;
  return (
    <Alert title={t.outcome(sales, dayText(from))}>
      <RecordTable caption={t.preview} rows={rows} fields={sides} rowKey={({ what }) => what} />
      {gains.length + losses.length === 0 && <Text size="sm">{t.nobody}</Text>}
      {(["gains", "losses"] as const).map((name) => (
        <Parts
          key={name}
          {...{ title: t[name], path, name, rows: comparison[name] }}
          columns={["contact_id", "current_points", "proposed_points"]}
          cells={{ contact_id: ({ contact_id }) => String(contact_id) }}
        />
      ))}
    </Alert>
  );
}
