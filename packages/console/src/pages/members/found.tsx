/** The members that filters find: the filters can be saved, and all of these members can get something. */
import { Group, Text } from "@mantine/core";
import { useLocation } from "wouter";
import { OperationButton, outlineOf, type Row } from "../../components.ts";
import { segmentTexts as t } from "../../texts/en/segments.ts";

const start = "/op/bulk-grants/start" as const;

export function FoundMembers({ total, request }: Readonly<{ total: number; request: Row }>) {
  const [, navigate] = useLocation();
  const { business_id: _, include_inactive: __, ...fixed } = request;
  // A bulk grant can't be limited by a search.
  const isGivable = Object.keys(fixed).every((name) => outlineOf(start).takes.includes(name));
  const isNew = isGivable && !("segment_id" in fixed) && Object.keys(fixed).length > 0;
  const save = { path: "/op/segments/create", show: ["name"], fixed, button: { size: "xs" } } as const;
  const show = ["points", "validity", "validity_period", "voucher_id", "name"];
  const give = { ...save, path: start, submitLabel: t.start, show } as const;
  return (
    <Group mb="sm" gap="sm">
      <Text fw={600}>{t.found(total)}</Text>
      {isNew && <OperationButton {...save} />}
      {isGivable && <OperationButton {...give} onDone={() => navigate("/bulk-grants")} />}
    </Group>
  );
}
