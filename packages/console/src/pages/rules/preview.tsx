/** What other rules would have given on the sales of the last months. */
import { Alert, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { declarationOf, type Fields, outputOf } from "../../api/declarations.ts";
import { type Business, useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { RecordTable } from "../../tables/record-table.tsx";
import { dayAfter, dayText } from "../../texts/dates.ts";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { type Affected, type Comparison, compareRules } from "./comparison.ts";

const days = 90;

/** The fields of a change that the service can preview; undefined if there is none. */
function previewedPart(request: object): object | undefined {
  const { business_id: _, ...previewed } = declarationOf("/op/rules/preview").input;
  const part = Object.entries(request).filter(([name]) => name in previewed);
  return part.length === 0 ? undefined : Object.fromEntries(part);
}

interface FormWithPreview {
  readonly preview: (request: object) => ReactNode;
  readonly canSubmit: (request: object) => boolean;
}

/** Makes a form that can only be sent after its preview was shown. */
export function usePreview(): FormWithPreview {
  const [shown, setShown] = useState<string>();
  return {
    preview: (request) => {
      const change = JSON.stringify(request);
      if (Object.keys(request).every((name) => name === "business_id")) return null;
      if (previewedPart(request) === undefined)
        return (
          <Alert mt="md" variant="light">
            {texts.rules.notPreviewed}
          </Alert>
        );
      return <Preview key={change} change={change} onShown={setShown} />;
    },
    canSubmit: (request) => previewedPart(request) === undefined || shown === JSON.stringify(request),
  };
}

interface PreviewProps {
  /** The request of the form, as JSON. */
  readonly change: string;
  readonly onShown: (change: string | undefined) => void;
}

function Preview({ change, onShown }: PreviewProps) {
  const { business_id } = useBusiness();
  const isOpen = useRef(true);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      // Without days, the report ends with the day of the business, also on the clock of a sandbox.
      const activity = await call("/op/reports/activity", { business_id, by: "day", per_page: 100 });
      const today = activity.data.at(-1)?.starts_on ?? "";
      const from = dayAfter(today, 1 - days);
      const part = previewedPart(JSON.parse(change));
      return { from, ...(await compareRules({ business_id, from, ...part }, () => isOpen.current)) };
    },
    networkMode: "always",
  });
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      onShown(undefined);
    };
  }, [onShown]);
  useEffect(() => {
    if (data !== undefined) onShown(change);
  }, [data, change, onShown]);
  if (isPending) return <Loading />;
  if (error) return <FailureAlert error={error} onRetry={() => mutate()} />;
  if (data !== undefined) return <Outcome comparison={data} from={data.from} />;
  return (
    <Alert mt="md" variant="light" title={texts.rules.previewFirst}>
      <Button size="xs" onClick={() => mutate()}>
        {texts.rules.preview}
      </Button>
    </Alert>
  );
}

const sides: Fields = {
  what: { type: "string" },
  current: { type: "string" },
  proposed: { type: "string" },
};

function Outcome({ comparison, from }: { readonly comparison: Comparison; readonly from: string }) {
  const business = useBusiness();
  const { sales, gains, losses } = comparison;
  const t = texts.rules;
  return (
    <Alert mt="md" variant="light" title={t.outcome(decimalText(sales, 0), dayText(from))}>
      <RecordTable
        caption={t.preview}
        rows={rowsOf(comparison, business)}
        fields={sides}
        rowKey={({ what }) => what}
      />
      {gains.length + losses.length === 0 && <Text size="sm">{t.nobody}</Text>}
      <Members title={t.gains} members={gains} />
      <Members title={t.losses} members={losses} />
    </Alert>
  );
}

function rowsOf({ current, proposed }: Comparison, { money }: Business) {
  const t = texts.rules;
  const tiers = [...current.members_by_tier, ...proposed.members_by_tier];
  const names = new Map(tiers.map(({ tier_id, name }) => [tier_id, name ?? texts.member.noTier]));
  const row = (what: string, textOf: (side: typeof current) => string) => {
    return { what, current: textOf(current), proposed: textOf(proposed) };
  };
  return [
    row(t.points, ({ points }) => decimalText(points, 0)),
    row(t.worth, ({ points_amount }) => money(points_amount)),
    row(t.capped, ({ capped_sales }) => decimalText(capped_sales, 0)),
    ...[...names].map(([id, name]) =>
      row(t.inTier(name), ({ members_by_tier }) =>
        decimalText(members_by_tier.find(({ tier_id }) => tier_id === id)?.members ?? 0, 0),
      ),
    ),
  ];
}

function Members({ title, members }: { readonly title: string; readonly members: readonly Affected[] }) {
  if (members.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={500} mt="sm">
        {title}
      </Text>
      <RecordTable
        caption={title}
        rows={members}
        fields={outputOf("/op/rules/preview").gains?.items?.properties ?? {}}
        columns={["contact_id", "current_points", "proposed_points"]}
        rowKey={({ contact_id }) => contact_id}
        cells={{ contact_id: ({ contact_id }) => contact_id }}
      />
    </>
  );
}
