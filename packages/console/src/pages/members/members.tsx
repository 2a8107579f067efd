/** Finds members as the person types. Enter opens the first one. */
import { Checkbox, Group, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { call } from "../../api/client.ts";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/value.tsx";

const typingMilliseconds = 150;

export function MembersPage() {
  const { business_id } = useBusiness();
  const [parameters, setParameters] = useSearchParams();
  const [search, setSearch] = useState(parameters.get("search") ?? "");
  const [settled] = useDebouncedValue(search.trim(), typingMilliseconds);
  const [include_inactive, setInclude] = useState(false);
  const [, navigate] = useLocation();
  const change = (text: string) => {
    setSearch(text);
    setParameters(text === "" ? {} : { search: text }, { replace: true });
  };
  const openFirst = async (event: KeyboardEvent) => {
    if (event.key !== "Enter" || search.trim() === "") return;
    const request = { business_id, search: search.trim(), include_inactive, per_page: 1 };
    const { data } = await call("/op/members/list", request);
    if (data[0]) navigate(`/${business_id}/members/${data[0].contact_id}`);
  };
  const request = { business_id, include_inactive, ...(settled !== "" && { search: settled }) };
  return (
    <>
      <PageTitle title={texts.members.title}>
        <OperationButton
          path="/op/members/create"
          fixed={{ business_id }}
          label={texts.members.create}
          onDone={({ data }) => navigate(`/${business_id}/members/${data.contact_id}`)}
        />
      </PageTitle>
      <Group mb="md" align="flex-end">
        <TextInput
          className="search"
          type="search"
          label={texts.members.search}
          description={texts.members.searchHelp}
          autoFocus
          maxLength={100}
          value={search}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => void openFirst(event)}
        />
        <Checkbox
          label={texts.members.includeInactive}
          checked={include_inactive}
          onChange={(event) => setInclude(event.currentTarget.checked)}
        />
      </Group>
      <OperationTable
        path="/op/members/list"
        request={request}
        columns={["name", "phone_number", "tier_name", "points_balance", "wallet_balance", "contact_id"]}
        linkTo={({ contact_id }) => `/${business_id}/members/${contact_id}`}
        cells={{ name: (row) => <Words>{`${row.first_name} ${row.last_name}`}</Words> }}
        empty={settled === "" ? texts.members.empty : texts.members.noneFound}
      />
    </>
  );
}
