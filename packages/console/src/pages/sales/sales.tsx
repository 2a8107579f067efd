/** Finds sales by their receipt, and by day and location. */
import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useSearchParams } from "wouter";
import { useBusiness } from "../../business.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { labelOf } from "../../values/labels.ts";
import { useChoices } from "../../values/references.ts";
import { MemberLink } from "../members/member-link.tsx";

const typingMilliseconds = 200;

export function SalesPage() {
  const { business_id } = useBusiness();
  const [parameters, setParameters] = useSearchParams();
  const filter = Object.fromEntries(parameters);
  const [settled] = useDebouncedValue(filter, typingMilliseconds);
  const locations = useChoices("location_id") ?? [];
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = filter;
    setParameters(value === "" ? others : { ...others, [name]: value }, { replace: true });
  };
  const { reference_id, start_date, end_date, location_id } = settled;
  const request = {
    business_id,
    ...(reference_id && { reference_id: reference_id.trim() }),
    ...(start_date && { start_date }),
    ...(end_date && { end_date }),
    ...(location_id && { location_id: Number(location_id) }),
  };
  return (
    <>
      <PageTitle title={texts.sales.title} />
      <Group mb="md" align="flex-end" gap="sm">
        <TextInput
          className="search"
          type="search"
          label={texts.sales.receipt}
          autoFocus
          maxLength={255}
          value={filter.reference_id ?? ""}
          onChange={(event) => set("reference_id", event.currentTarget.value)}
        />
        {(["start_date", "end_date"] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={labelOf(name)}
            value={filter[name] ?? ""}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
        <NativeSelect
          label={labelOf("location_id")}
          data={[{ value: "", label: texts.all }, ...locations]}
          value={filter.location_id ?? ""}
          onChange={(event) => set("location_id", event.currentTarget.value)}
        />
      </Group>
      <OperationTable
        path="/op/sales/list"
        request={request}
        columns={[
          "reference_id",
          "sold_on",
          "contact_id",
          "location_id",
          "amount",
          "refunded",
          "points_earned",
        ]}
        linkTo={({ sale_id }) => `/${business_id}/sales/${sale_id}`}
        rowKey={({ sale_id }) => sale_id}
        cells={{ contact_id: ({ contact_id }) => <MemberLink contactId={contact_id} /> }}
        empty={reference_id ? texts.sales.noneFound : texts.sales.empty}
      />
    </>
  );
}
