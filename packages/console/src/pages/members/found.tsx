/** The members that filters find: the filters can be saved, and all of these members can get something. */
import { Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useLocation } from "wouter";
import { type Asked, OperationButton, outlineOf, Preview, type Row, useBusiness } from "../../components.ts";
import { segmentTexts as t } from "../../texts/en/segments.ts";

const [start, previewPath] = ["/op/bulk-grants/start", "/op/bulk-grants/preview"] as const;

export function FoundMembers({ total, request }: Readonly<{ total: number; request: Row }>) {
  const [, navigate] = useLocation();
  const { business_id: _, include_inactive: __, ...fixed } = request;
  // A bulk grant can't be limited by a search.
  const isGivable = Object.keys(fixed).every((name) => outlineOf(start).takes.includes(name));
  const isNew = isGivable && !("segment_id" in fixed) && Object.keys(fixed).length > 0;
  const save = { path: "/op/segments/create", label: t.save, show: ["name"], fixed } as const;
  const show = ["points", "validity", "validity_period", "voucher_id", "name"];
  const give = { path: start, label: t.give, explanation: t.only, submitLabel: t.start, show, fixed };
  return (
    <Group mb="sm" gap="sm">
      <Text fw={600}>{t.found(total)}</Text>
      {isNew && <OperationButton {...save} button={{ size: "xs" }} />}
      {isGivable && (
        <OperationButton
          {...{ ...give, button: { size: "xs" } }}
          preview={({ name: _, ...gift }) => (gift.points ?? gift.voucher_id) && <GiftPreview asked={gift} />}
          onDone={() => navigate("/bulk-grants")}
        />
      )}
    </Group>
  );
}

function GiftPreview({ asked }: { readonly asked: Asked<typeof previewPath> }) {
  const [{ money }, [request]] = [useBusiness(), useDebouncedValue(asked, 300)];
  return (
    <Preview path={previewPath} request={request} title={t.preview}>
      {({ members_found, points_given, amount }) => t.previewed(members_found, points_given, amount, money)}
    </Preview>
  );
}
